import { beginsTurn } from "../history/begins-turn.ts";
import type { AgentMessage, AssistantMessage, UserMessage } from "@factotum/agent-contract";
import type { TimeFormat } from "../effective-prompt/time-format.ts";
import { withoutImages } from "../history/drop-images.ts";
import { rerenderMessages } from "../history/rerender-messages.ts";
import { capContent } from "../loop/truncate-tool-result.ts";
import { projectMessages } from "../projection/project-messages.ts";
import { oneLine } from "../prompt/one-line.ts";
import { cutText } from "../text/cut-text.ts";
import { estimateTokens } from "../tokens/estimate-tokens.ts";
import { renderTranscript } from "./render-transcript.ts";
import { contextBudget, type ContextBudgetOptions } from "./context-budget.ts";

/** Options of a truncation without a model. */
export interface FallbackOptions extends ContextBudgetOptions {
  /** Tokens of system prompt and tools. */
  readonly overheadTokens: number;
  /** Formats times in the user's zone. */
  readonly time: TimeFormat;
  /** The earlier summary before these messages. */
  readonly previousSummary?: string;
  /** Number of earlier messages that were not read; they count as removed. */
  readonly omitted?: number;
}

/** The rest of a history that no model could summarise. */
export interface FallbackCompaction {
  readonly summary: string;
  /** Index of the first message that is at least partly kept; the number of messages if none is. */
  readonly firstKept: number;
  /** The messages after the summary from now on. */
  readonly messages: readonly AgentMessage[];
  /** True if `messages` differ from the originals from `firstKept` on: store them as they are here. */
  readonly shrunk: boolean;
  /** The rest of the last turn as text, for callers that keep none of its messages; no larger than they are. Empty unless `shrunk`. */
  readonly words: string;
  readonly tainted: boolean;
}

const MIN_MESSAGE_TOKENS = 1_000;
const SUMMARY_SHARE = 8;
const MAX_SUMMARY_TOKENS = 1_000;
const LINE_CHARS = 160;
/** Steps by which the last turn is truncated if it does not fit by itself: characters per result and per call's arguments. */
const SHRINK_CHARS = [4_000, 1_000, 200] as const;

/**
 * Truncates a history without a model, so that the next turn can always run (R9). Drops whole turns, oldest first. If the last turn alone is too large, shrinks
 * its images, thinking and long results, then drops its oldest steps, then truncates its text. After the projection, summary and messages fit into the window
 * minus reserve and overhead (at least 1,000 tokens). Deterministic and total.
 */
export function fallbackCompaction(messages: readonly AgentMessage[], options: FallbackOptions): FallbackCompaction {
  const { maxContext, keepRecent } = contextBudget(options);
  const maxTokens = Math.max(MIN_MESSAGE_TOKENS, maxContext - options.overheadTokens);
  const summaryTokens = Math.min(MAX_SUMMARY_TOKENS, Math.floor(maxTokens / SUMMARY_SHARE));
  // Tokens for the line above the summary, and for what the projection adds around it and repairs at the cut.
  const room = maxTokens - summaryTokens - 80;
  const firstKept = firstThatFits(messages, Math.min(room, keepRecent));
  const kept = messages.slice(firstKept);
  const fitting = tokensOf(kept) <= room ? kept : shrinkTurn(kept, room);
  return {
    summary: summarise(messages.slice(0, firstKept), fitting !== kept, summaryTokens, options),
    firstKept,
    messages: fitting,
    shrunk: fitting !== kept,
    words: fitting === kept ? "" : wordsOf(kept, Math.min(room, Math.max(MIN_MESSAGE_TOKENS, keepRecent)), options.time),
    tainted: messages.slice(0, firstKept).some((message) => message.role !== "assistant" && message.tainted === true),
  };
}

/** Start of the earliest turn from which everything fits; otherwise of the last turn. */
function firstThatFits(messages: readonly AgentMessage[], maxTokens: number): number {
  let found: number | undefined;
  for (let index = messages.length - 1; index >= 0; index--) {
    if (!beginsTurn(messages[index])) continue;
    if (found !== undefined && tokensOf(messages.slice(index)) > maxTokens) break;
    found = index;
  }
  return found ?? messages.length;
}

/** Estimated tokens of the messages when they are sent. */
function tokensOf(messages: readonly AgentMessage[]): number {
  return estimateTokens(projectMessages(messages));
}

/** Shrinks one turn to fit. Its first message is the user's. */
function shrinkTurn(turn: readonly AgentMessage[], room: number): readonly AgentMessage[] {
  let smaller = turn;
  for (const maxChars of SHRINK_CHARS) {
    smaller = turn.map((message) => shrinkMessage(message, maxChars));
    if (tokensOf(smaller) <= room) return smaller;
  }
  const [said, ...rest] = smaller;
  if (said?.role !== "user") return [];
  const [shown = said] = rerenderMessages([said], { toolResultMaxChars: LINE_CHARS });
  for (let steps = stepsOf(rest); ; steps = steps.slice(1)) {
    const left = [shown, ...steps.flat()];
    if (tokensOf(left) <= room) return left;
    if (steps.length === 0) break;
  }
  return [cutMessage(shown, room)];
}

function shrinkMessage(message: AgentMessage, maxChars: number): AgentMessage {
  switch (message.role) {
    case "user":
      return withoutImages(message);
    case "toolResult":
      return { ...withoutImages(message), content: capContent(withoutImages(message).content, maxChars) };
    case "assistant":
      return { ...message, content: shrinkAnswer(message, maxChars) };
    default:
      return message satisfies never;
  }
}

function shrinkAnswer({ content }: AssistantMessage, maxChars: number): AssistantMessage["content"] {
  return content.flatMap((block): AssistantMessage["content"] => {
    if (block.type === "thinking") return [];
    if (block.type === "text") return [{ type: "text", text: cutText(block.text, maxChars, " […]") }];
    const fits = JSON.stringify(block.arguments).length <= maxChars;
    return [fits ? block : { ...block, arguments: { note: "arguments removed to make room" } }];
  });
}

/** Splits a turn into steps, each an answer with its results, so that cuts between steps separate no call from its result. */
function stepsOf(messages: readonly AgentMessage[]): readonly (readonly AgentMessage[])[] {
  const steps: AgentMessage[][] = [];
  for (const message of messages) {
    if (message.role === "toolResult") steps.at(-1)?.push(message);
    else steps.push([message]);
  }
  return steps;
}

/** The beginning of a message's text. A text never has more tokens than UTF-16 units. */
function cutMessage(message: AgentMessage, room: number): UserMessage {
  const text = message.content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
  const tainted = message.role !== "assistant" && message.tainted === true;
  const cut = cutText(text, Math.max(0, room - 50), "\n[… cut to make room]");
  return { role: "user", content: [{ type: "text", text: cut }], ...(tainted ? { tainted } : {}), timestamp: message.timestamp };
}

/** The opening message and the newest results, as text. */
function wordsOf(turn: readonly AgentMessage[], room: number, time: TimeFormat): string {
  const [said, ...rest] = renderTranscript(turn, { maxTokens: Math.floor(room / 2), time });
  if (said === undefined) return "";
  let left = room - said.tokens;
  const newest: string[] = [];
  for (const { text, tokens } of rest.toReversed()) {
    left -= tokens;
    if (left < 0) break;
    newest.unshift(text);
  }
  return [said.text, ...newest].join("\n");
}

function summarise(
  dropped: readonly AgentMessage[],
  shrunk: boolean,
  maxTokens: number,
  { previousSummary, omitted = 0, time }: Pick<FallbackOptions, "previousSummary" | "omitted" | "time">,
): string {
  const asked = dropped.flatMap((message) => (message.role === "user" ? [lineOf(message, time)] : []));
  const unread = omitted === 0 ? "" : ` ${omitted} messages before them were left out.`;
  const head = `${asked.length} older turns were cut to make room and could not be summarised.${unread}${shrunk ? " Of the last turn only a part is left." : ""}`;
  const lines: string[] = [];
  let left = maxTokens - estimateTokens(head) - 30;
  const earlier = previousSummary === undefined ? [] : [cutText(oneLine(previousSummary), Math.floor(left / 2), " […]")];
  left -= earlier.reduce((sum, text) => sum + estimateTokens(text) + 1, 0);
  for (const line of asked.toReversed()) {
    left -= estimateTokens(line) + 1;
    if (left < 0) break;
    lines.unshift(line);
  }
  return [head, ...earlier, ...(lines.length === 0 ? [] : ["What was said in them, newest last:", ...lines])].join("\n");
}

function lineOf(message: UserMessage, time: TimeFormat): string {
  const text = message.parts?.body ?? message.content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join(" ");
  return `- ${time.timestamp(message.timestamp)}: ${cutText(oneLine(text.slice(0, 4 * LINE_CHARS).toWellFormed()), LINE_CHARS, "…")}`;
}
