import { withoutUndefined } from "@factotum/agent-contract";
import type { UserMessageParts } from "@factotum/agent-contract";
import type { EffectivePrompt, EffectivePromptFacts } from "./effective-prompt-facts.ts";
import { escapeBody } from "./escape-body.ts";
import { renderMediaNote, sanitizeFileName } from "./media-note.ts";
import { promptVariant } from "../prompt/prompt-variant.ts";
import { bodyParts, renderBody } from "./render-body.ts";
import { renderJson } from "./render-json.ts";
import { sanitizeEvent } from "./sanitize.ts";
import { createTimeFormat, type TimeFormat } from "./time-format.ts";
import { renderTrustedBlock } from "./trusted-block.ts";
import { contextBlocks, suffixBlocks, threadHistoryBlock, type UntrustedBlock } from "./untrusted-blocks.ts";

const DELIMITER = /^[0-9a-f]{12}$/;

/**
 * Renders part 3 of a request: one turn's text, rendered once and replayed from history.
 *
 * Pure. Platform text cannot forge a line of the gateway's: in blocks it is JSON on one line, in the body such lines get a backslash. Throws a `TypeError` for
 * a delimiter other than twelve hexadecimal digits, and a `RangeError` for an unknown time zone, because the text would not match its description in the system
 * prompt. When rendering many, create `time` for the facts' zone once and pass it.
 */
export function renderEffectivePrompt(facts: EffectivePromptFacts, time: TimeFormat = createTimeFormat(facts.timeZone)): EffectivePrompt {
  const { delimiter } = facts;
  if (!DELIMITER.test(delimiter)) throw new TypeError("The delimiter must be twelve hexadecimal digits in lower case.");
  const systemEvents = facts.systemEvents.map(({ timestampMs, text }) => `System: [${time.second(timestampMs)}] ${sanitizeEvent(text)}`);
  const untrusted = ({ id, title, value }: UntrustedBlock): PromptPiece => ({
    id,
    text: block(delimiter, `${title} (untrusted)`, renderJson(value)),
  });
  const own = (id: string, title: string, text: string): PromptPiece => ({ id, text: block(delimiter, title, text) });
  const sections: readonly PromptPiece[] = [
    { id: "trusted", text: renderTrustedBlock(facts, time) },
    ...(facts.hookContext ?? []).map(({ plugin, text }) =>
      own("hook-context", `Plugin context: ${sanitizeFileName(plugin)}`, escapeBody(text)),
    ),
    ...renderMediaNote(facts.media ?? []).map((text) => ({ id: "media-note", text })),
    ...(facts.mediaReplyHint === true && (facts.media ?? []).length > 0 ? [own("media-hint", "Media reply hint", MEDIA_REPLY_HINT)] : []),
    ...threadHistoryBlock(facts).map(untrusted),
    ...systemEvents.map((text) => ({ id: "system-event", text })),
    ...(facts.sessionHint === undefined ? [] : [own("session-hint", "Session hint", SESSION_HINTS[facts.sessionHint])]),
    ...contextBlocks(facts).map(untrusted),
    ...[renderBody(facts.body)].filter((text) => text !== "").map((text) => ({ id: "body", text })),
    ...suffixBlocks(facts).map(untrusted),
    ...truncationWarning(facts).map((text) => own("truncation-warning", "Bootstrap truncation warning", text)),
  ];
  return { text: sections.map(({ text }) => text).join("\n"), sections, parts: partsOf(facts, systemEvents) };
}

interface PromptPiece {
  readonly id: string;
  readonly text: string;
}

const MEDIA_REPLY_HINT = "To send a file back, write `MEDIA:` and its path in the workspace on a line of its own.";

const SESSION_HINTS: Readonly<Record<NonNullable<EffectivePromptFacts["sessionHint"]>, string>> = {
  aborted: "Your last run was stopped on request. Resume it only with care, or ask what the user wants now.",
  interrupted: "Your last run was cut short by a restart. Check what it had already done before you repeat any of it.",
};

function block(delimiter: string, title: string, text: string): string {
  return `[${delimiter} ${title}]\n${text}\n[/${delimiter}]`;
}

function truncationWarning({ run, truncations = [] }: EffectivePromptFacts): readonly string[] {
  if (truncations.length === 0 || !promptVariant(run, { lightContext: false }).truncationWarning) return [];
  const lines = truncations.map(
    ({ name, limit, keptChars, totalChars }) => `- ${name}: ${keptChars} of ${totalChars} characters (${limit} limit)`,
  );
  return [
    ["Project Context holds only a part of the files listed here. If the missing part could matter, read the file.", ...lines].join("\n"),
  ];
}

function partsOf({ body, run, storedSender }: EffectivePromptFacts, systemEvents: readonly string[]): UserMessageParts {
  return {
    ...bodyParts(body),
    ...(run === "user" ? {} : { run }),
    ...withoutUndefined({ sender: storedSender }),
    systemEvents,
  };
}
