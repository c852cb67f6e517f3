import type { ContextPartType, ContextReport, ContextSection, NoticeBlock } from "@factotum/protocol";
import { buildContextReport } from "../requests/build-context-report.ts";
import { RpcError } from "../kernel/rpc-error.ts";
import type { CommandAnswer } from "../notices/notice-text.ts";
import { contextSkills } from "./context-skills.ts";
import { changesNothing, defineCommand } from "./define-command.ts";
import type { Command, CommandCall } from "./define-command.ts";

/** Shows the last request: sizes and costs, with `detail` the largest sections too. */
export const contextCommand: Command = defineCommand<{ readonly detail: boolean }>({
  name: "/context",
  summary: "show what the model was given last; /context detail names its largest sections and the skills",
  hint: "[detail]",
  words: ["detail"],
  access: "anyone",
  parse: (words) => CHOICES[words.toLowerCase()],
  changes: changesNothing,
  run: ({ detail }, call) => contextText(call, { detail }),
});

const CHOICES: Readonly<Record<string, { readonly detail: boolean }>> = {
  "": { detail: false },
  " list": { detail: false },
  " detail": { detail: true },
};

const NOTHING_YET = "There is nothing to show yet: the model was not asked in this conversation. Say something, then look again.";

/** Sections in the detailed answer. */
const MAX_SECTIONS = 20;

const PART_NAMES: Readonly<Record<ContextPartType, string>> = {
  system: "system prompt",
  messages: "earlier messages",
  prompt: "last message",
  images: "images",
  tools: "tools",
};

/** The answer of `/context`: sizes and costs of the last request; with `detail` also its largest sections. Never a text of the conversation. */
async function contextText(call: CommandCall, options: { readonly detail: boolean }): Promise<CommandAnswer> {
  if ((await call.session.read()).record === undefined) return NOTHING_YET;
  try {
    const report = await buildContextReport({ sessionKey: call.session.target.sessionKey, diff: "previous" }, call);
    return [
      ...summary(report),
      ...(options.detail
        ? [{ type: "list" as const, items: details(report) }, ...(await contextSkills(call))]
        : [{ type: "text" as const, text: "/context detail names the largest sections, and the skills." }]),
    ];
  } catch (error) {
    // There was no request yet, or it was pruned.
    if (error instanceof RpcError) return error.message;
    throw error;
  }
}

function summary({ request, total, contextWindow, parts, diff, cutFiles, resting = [] }: ContextReport): readonly NoticeBlock[] {
  const { usage } = request;
  const cost = usage.costUsd === undefined ? "" : `, ${usage.costUsd.toFixed(4)} US dollars`;
  const sizes = parts.filter(({ tokens }) => tokens > 0).map(({ type, tokens }) => `${PART_NAMES[type]} ${count(tokens)}`);
  const used = `${count(usage.cacheRead)} tokens read, ${count(usage.cacheWrite)} written; ${count(usage.input)} new, ${count(usage.output)} answered${cost}`;
  const facts = [
    { name: "Last request", text: `turn ${request.turn}, request ${request.request}, ${request.model}` },
    {
      name: `About ${count(total.tokens)}${contextWindow === undefined ? "" : ` of ${count(contextWindow)}`} tokens`,
      text: sizes.join(", "),
    },
    { name: "Cache", text: used },
  ];
  const troubles = [
    ...resting.map(({ provider, model = "*", credential, reason }) => ({
      name: "Not asked now",
      text: `${provider}/${model} (${credential}), ${reason}`,
    })),
    ...cutFiles.map(({ name, keptChars, totalChars }) => ({
      name: "Cut",
      text: `${name}, ${count(keptChars)} of ${count(totalChars)} characters`,
    })),
  ];
  return [
    { type: "rows", rows: facts },
    ...(diff === undefined ? [] : [{ type: "text", text: prefixLine(diff) } as const]),
    ...(troubles.length === 0 ? [] : [{ type: "rows", rows: troubles } as const]),
  ];
}

function prefixLine({ prefixHeld, causes }: NonNullable<ContextReport["diff"]>): string {
  if (prefixHeld) return "It began with the request before, byte for byte.";
  return `It did not begin with the request before${causes.length === 0 ? "." : `: ${causes.join(", ")}.`}`;
}

function details({ parts }: ContextReport): readonly string[] {
  const sections = parts.flatMap(({ type, sections: all }) => all.map((section) => ({ type, section })));
  const largest = sections.toSorted((left, right) => right.section.tokens - left.section.tokens).slice(0, MAX_SECTIONS);
  const rest = sections.length - largest.length;
  return [
    ...largest.map(({ type, section }) => `${PART_NAMES[type]}, ${nameOf(type, section)}: ${count(section.tokens)} tokens`),
    ...(rest === 0 ? [] : [`${rest} smaller ones`]),
  ];
}

/** Titles of messages are names of people; all others are ours. */
function nameOf(type: ContextPartType, section: ContextSection): string {
  return type === "messages" || type === "prompt" ? section.id.replace(/-.*$/, "") : section.title;
}

function count(value: number): string {
  return value.toLocaleString("en-US");
}
