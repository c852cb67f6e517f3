import { plural } from "@factotum/agent-contract";
import type { SubagentView } from "@factotum/agent-contract";
import { isOpenSpawn } from "@factotum/store";
import type { CommandAnswer } from "../notices/notice-text.ts";
import { spawnTitle } from "../subagents/spawn-title.ts";
import { defineCommand } from "./define-command.ts";
import type { Command, CommandCall } from "./define-command.ts";
import { focusLine } from "./focus-line.ts";
import { parseVerb } from "./parse-verb.ts";

const MAX_TITLE_CHARS = 80;
/** Those that have ended in a list. */
const MAX_ENDED = 10;
const USAGE = "/subagents, /subagents log <n>, /subagents steer <n> <text>, /subagents kill <n>, /subagents kill all";

/** What is asked about sub-agents. */
type Asked =
  | { readonly type: "list" }
  | { readonly type: "log" | "kill"; readonly named: string }
  | { readonly type: "steer"; readonly named: string; readonly text: string }
  | { readonly type: "unclear" };

/** Shows, reads, steers and ends the sub-agents of the conversation. */
export const subagentsCommand: Command = defineCommand({
  name: "/subagents",
  summary: "show, steer or end the sub-agents of this conversation",
  hint: "[log N | steer N WORDS | kill N | kill all]",
  words: ["log", "steer", "kill"],
  access: "anyone",
  parse,
  changes: ({ type }: Asked) => type === "steer" || type === "kill",
  run: answer,
});

function parse(words: string): Asked | undefined {
  const found = parseVerb(words);
  if (found === undefined) return undefined;
  const { verb = "list", named, text } = found;
  if (verb === "list" && named === undefined) return { type: "list" };
  if (named === undefined) return { type: "unclear" };
  if (verb === "steer") return text.trim() === "" ? { type: "unclear" } : { type: "steer", named, text };
  return (verb === "log" || verb === "kill") && text.trim() === "" ? { type: verb, named } : { type: "unclear" };
}

/** The session whose sub-agents a command is about: in a conversation that is focused on one, the owner's commands are about those that were started with it. */
export function treeOf({ session, subagents }: Pick<CommandCall, "session" | "subagents">): string {
  const { sessionKey, input } = session.target;
  const { focus, owner } = input.admission;
  if (focus === undefined) return sessionKey;
  return (owner ? subagents.ofSession(sessionKey)?.parentKey : undefined) ?? focus.sessionKey;
}

/** Tells the sub-agent something that `/subagents` lists under this number, label or run id. */
export async function steerListed(named: string, text: string, call: CommandCall): Promise<string> {
  const { owner } = call.session.target.input.admission;
  const told = await call.subagents.steerOf(treeOf(call), named, { text, tainted: !owner, owner });
  return told.type === "refused" ? told.message : "Told.";
}

/** Ends one that `/subagents` lists, or all. */
export async function endListed(named: string, call: CommandCall): Promise<string> {
  const end = { state: "killed", reason: "you asked me to end it", tells: "turn" } as const;
  const { owner } = call.session.target.input.admission;
  const ended = await call.subagents.killOf(treeOf(call), named, end, { owner });
  return ended.type === "refused" ? ended.message : `Ended ${plural(ended.views.length, "sub-agent")}.`;
}

async function answer(asked: Asked, call: CommandCall): Promise<CommandAnswer> {
  const { subagents } = call;
  const sessionKey = treeOf(call);
  switch (asked.type) {
    case "unclear":
      return `Usage: ${USAGE}`;
    case "list": {
      const views = await subagents.listOf(sessionKey);
      const focused = focusLine(call);
      const lines = await listed(views, call);
      return [...(lines.length === 0 ? ["This conversation has no sub-agents."] : lines), ...(focused === undefined ? [] : [focused])].join(
        "\n",
      );
    }
    case "log": {
      const log = await subagents.logOf(sessionKey, asked.named);
      return log.type === "refused" ? log.message : `${lineOf(log.view)}\n${log.text}`;
    }
    case "steer":
      return steerListed(asked.named, asked.text, call);
    case "kill":
      return endListed(asked.named, call);
  }
}

/** Each under its number, with those that it has started below it. Of those that have ended only the newest, as on the page. */
async function listed(views: readonly SubagentView[], call: CommandCall): Promise<readonly string[]> {
  const left = new Set(views.filter(({ state }) => !isOpenSpawn({ state })).slice(MAX_ENDED));
  const shown = await Promise.all(
    views.map(async (view, index) =>
      left.has(view) ? [] : [`${lineOf(view, index + 1)}${placesOf(view, call)}`, ...(await below(view, call, "  "))],
    ),
  );
  return [...shown.flat(), ...(left.size === 0 ? [] : [`… and ${left.size} that ended before.`])];
}

async function below({ sessionKey }: SubagentView, call: CommandCall, indent: string): Promise<readonly string[]> {
  const views = await call.subagents.listOf(sessionKey);
  const lines = await Promise.all(views.map(async (view) => [`${indent}- ${lineOf(view)}`, ...(await below(view, call, `${indent}  `))]));
  return lines.flat();
}

/** Where it is spoken with. */
function placesOf({ sessionKey }: SubagentView, { focus, session }: CommandCall): string {
  const places = focus.onSession(sessionKey);
  const here = focus.of(session.target.input.message);
  if (places.length === 0) return "";
  return here?.sessionKey === sessionKey ? ", focused here" : `, focused in ${plural(places.length, "conversation")}`;
}

function lineOf(view: SubagentView, position?: number): string {
  const { state, reason, durationMs, tokens, costUsd } = view;
  const name = spawnTitle(view, MAX_TITLE_CHARS);
  const facts = [
    `${Math.round(durationMs / 1000)} s`,
    plural(tokens, "token"),
    ...(costUsd === undefined ? [] : [`$${costUsd.toFixed(2)}`]),
  ];
  return `${position === undefined ? "" : `${position}. `}${name}: ${state}${reason === undefined ? "" : ` (${reason})`}, ${facts.join(", ")}`;
}
