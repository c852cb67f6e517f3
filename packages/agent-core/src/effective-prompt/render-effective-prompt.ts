import type { UserMessageParts } from "@factotum/agent-contract";
import type { EffectivePrompt, EffectivePromptFacts, PromptBody } from "./effective-prompt-facts.ts";
import { escapeBody } from "./escape-body.ts";
import { renderJson } from "./render-json.ts";
import { sanitizeEvent } from "./sanitize.ts";
import { createTimeFormat } from "./time-format.ts";
import { renderTrustedBlock } from "./trusted-block.ts";
import { contextBlocks, suffixBlocks, threadHistoryBlock, type UntrustedBlock } from "./untrusted-blocks.ts";

const DELIMITER = /^[0-9a-f]{12}$/;

/**
 * Part 3 of a request (design 03 §3): one turn's text, rendered once; history replays it as it is.
 *
 * Pure. Text of platforms cannot make a line that reads as one of ours: in blocks it is JSON on one line, in the body such lines get a
 * backslash. Throws a `TypeError` for a delimiter that is not twelve hexadecimal digits, a `RangeError` for an unknown time zone: with
 * either the text would not be what the model is told it is.
 */
export function renderEffectivePrompt(facts: EffectivePromptFacts): EffectivePrompt {
  const { delimiter } = facts;
  if (!DELIMITER.test(delimiter)) throw new TypeError("The delimiter must be twelve hexadecimal digits in lower case.");
  const time = createTimeFormat(facts.timeZone);
  const untrusted = ({ title, value }: UntrustedBlock): string => block(delimiter, `${title} (untrusted)`, renderJson(value));
  const systemEvents = facts.systemEvents.map(({ timestampMs, text }) => `System: [${time.second(timestampMs)}] ${sanitizeEvent(text)}`);
  const text = [
    renderTrustedBlock(facts, time),
    ...threadHistoryBlock(facts).map(untrusted),
    ...systemEvents,
    ...(facts.sessionHint === undefined ? [] : [block(delimiter, "Session hint", SESSION_HINTS[facts.sessionHint])]),
    ...contextBlocks(facts).map(untrusted),
    ...renderBody(facts.body),
    ...suffixBlocks(facts).map(untrusted),
  ].join("\n");
  return { text, parts: partsOf(facts, systemEvents) };
}

const SESSION_HINTS: Readonly<Record<NonNullable<EffectivePromptFacts["sessionHint"]>, string>> = {
  aborted: "Your last run was stopped on request. Pick it up only with care, or ask what is wanted now.",
  interrupted: "Your last run was cut short by a restart. Find out what it had already done before you repeat any of it.",
};

function block(delimiter: string, title: string, text: string): string {
  return `[${delimiter} ${title}]\n${text}\n[/${delimiter}]`;
}

function renderBody(body: PromptBody): readonly string[] {
  switch (body.type) {
    case "message":
      return body.text.trim() === "" ? [] : [escapeBody(body.text)];
    case "media-only":
      return ["[User sent media without caption]"];
    case "task":
      return [body.text];
    default:
      return body satisfies never;
  }
}

function partsOf({ body, storedSender }: EffectivePromptFacts, systemEvents: readonly string[]): UserMessageParts {
  return {
    body: body.type === "media-only" ? "" : body.text,
    ...(storedSender === undefined ? {} : { sender: storedSender }),
    systemEvents,
  };
}
