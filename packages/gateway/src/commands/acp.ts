import { externalAgentOf, externalProblem, externalReference } from "../agents/external-agent.ts";
import { isElevationChosen, mayElevate } from "../conversation/elevation.ts";
import { defineCommand } from "./define-command.ts";
import type { Command, CommandCall, CommandOutcome } from "./define-command.ts";
import { isOwnerSandboxed } from "./elevated.ts";
import { parseVerb } from "./parse-verb.ts";
import { stoppedText } from "./stopped-text.ts";
import { endListed, steerListed } from "./subagents.ts";

const USAGE = [
  "/acp spawn <agent>: this conversation continues with that external agent; /acp spawn <agent> <task> gives it the task at once.",
  "/acp status: the external agents, and those that run.",
  "/acp steer <n> <text>: tells the n-th sub-agent of /subagents something.",
  "/acp cancel, /acp cancel <n>: stops what the agent of this conversation does, or the n-th sub-agent.",
  "/acp close: ends the agent of this conversation, which continues with its model.",
].join("\n");

/** What is asked about external agents. */
type Asked =
  | { readonly type: "help" | "status" | "close" }
  | { readonly type: "spawn"; readonly agent: string; readonly task: string }
  | { readonly type: "cancel"; readonly named: string | undefined }
  | { readonly type: "steer"; readonly named: string; readonly text: string };

/** Hands the conversation to an external agent, and shows, steers and ends those that run. */
export const acpCommand: Command = defineCommand({
  name: "/acp",
  summary: "external agents: /acp spawn <agent> <task>, status, steer <n> <text>, cancel, close",
  hint: "[spawn AGENT [TASK] | status | steer N WORDS | cancel [N] | close]",
  words: ["spawn", "status", "steer", "cancel", "close"],
  access: "owner",
  parse,
  changes: ({ type }: Asked) => type !== "help" && type !== "status",
  run: answer,
});

function parse(words: string): Asked | undefined {
  const found = parseVerb(words);
  if (found === undefined) return undefined;
  const { verb = "help", named, text } = found;
  const isAlone = text.trim() === "";
  if ((verb === "status" || verb === "close") && named === undefined) return { type: verb };
  if (verb === "spawn" && named !== undefined) return { type: verb, agent: named.toLowerCase(), task: text.trim() };
  if (verb === "cancel" && isAlone) return { type: verb, named };
  if (verb === "steer" && named !== undefined && !isAlone) return { type: verb, named, text };
  return { type: "help" };
}

async function answer(asked: Asked, call: CommandCall): Promise<CommandOutcome> {
  const { session, externalAgents, running } = call;
  switch (asked.type) {
    case "help":
      return USAGE;
    case "status":
      return status(call);
    case "spawn": {
      const unusable = externalProblem(asked.agent, running.config) ?? externalAgents.problemOf(asked.agent);
      const problem = unusable ?? (await placeProblem(call));
      if (problem !== undefined) return `${asked.agent} cannot be started: ${problem}`;
      await session.choose({ model: externalReference(asked.agent) });
      if (asked.task !== "") return { type: "message", text: asked.task };
      return `From the next message on, ${asked.agent} answers here. It does not know what was said before. /acp close goes back to the model.`;
    }
    case "close": {
      const { record, bound } = await session.read();
      if (externalAgentOf(record?.overrides.model) !== undefined) await session.choose({ model: null });
      await externalAgents.close(session.target.sessionKey);
      const agent = externalAgentOf(bound);
      if (agent === undefined) return "From the next message on, the configured model answers here.";
      return `A binding gives this chat to ${agent}, which begins a new conversation with the next message. /model <name> gives it to a model.`;
    }
    case "cancel":
      return asked.named === undefined ? cancel(call) : endListed(asked.named, call);
    case "steer":
      return steerListed(asked.named, asked.text, call);
  }
}

/** Why no external agent answers in this conversation. */
async function placeProblem({ session, running: { config } }: CommandCall): Promise<string | undefined> {
  const { agent, record } = await session.read();
  const { sessionKey, input } = session.target;
  if (!isOwnerSandboxed(agent, sessionKey, config.session)) return undefined;
  if (isElevationChosen(record) && mayElevate([input], config)) return undefined;
  return "Rule acp: external agents work on the host, and this conversation works in the sandbox (agents.defaults.sandbox.mode).";
}

async function cancel({ session: { target }, sessions }: CommandCall): Promise<string> {
  const reason = "you asked me to stop";
  const stopped = await sessions.stopper.stop(target.sessionKey, { queued: true, reason, by: target.input.message });
  return stoppedText(stopped) ?? "There was nothing to stop.";
}

function status({ externalAgents, session, running }: CommandCall): string {
  if (!running.config.acp.enabled) return "External agents are off (acp.enabled).";
  const ids = externalAgents.ids();
  if (ids.length === 0) return "No external agents are configured (acp.agents).";
  const agents = ids.map((id) => {
    const problem = externalAgents.problemOf(id);
    return problem === undefined ? id : `${id} (${problem})`;
  });
  const { sessionKey } = session.target;
  const lines = externalAgents.list().map(({ agent, sessionKey: key, state, canLoad }) => {
    const kept = canLoad ? "" : ", cannot load its conversation after a restart";
    return `${agent}: ${state}${kept}, in ${key === sessionKey ? "this conversation" : key}`;
  });
  return [`External agents: ${agents.join(", ")}.`, ...(lines.length === 0 ? ["None runs."] : lines)].join("\n");
}
