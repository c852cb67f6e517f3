import { beginsTurn } from "../history/begins-turn.ts";
import type { AgentMessage } from "@factotum/agent-contract";
import type { TimeFormat } from "../effective-prompt/time-format.ts";
import { renderJson } from "../effective-prompt/render-json.ts";
import { estimateMessageTokens, estimateTokens } from "../tokens/estimate-tokens.ts";
import { contextBudget, type ContextBudgetOptions } from "./context-budget.ts";
import { renderTranscript, type TranscriptLine } from "./render-transcript.ts";

/** What a compaction is planned by. */
export interface CompactionOptions extends ContextBudgetOptions {
  /** Size of the whole context now, system prompt and tools included. */
  readonly contextTokens: number;
  /** Times as the user's zone has them. */
  readonly time: TimeFormat;
  /** The window of the model that writes the summary; that of the session's model by default. */
  readonly summariserWindow?: number;
  /** The earlier summary in front of these messages. */
  readonly previousSummary?: string;
  /**
   * At most this many chunks, the newest, each of up to half of the summariser's window: for a history that is larger than the model's window. Older
   * messages are left out by rule. Unlimited by default.
   */
  readonly maxChunks?: number;
}

/** One part of what is to be summarised, as the summariser gets it. */
interface CompactionChunk {
  readonly text: string;
  readonly tokens: number;
}

/** Where to cut, and what to summarise. */
export interface CompactionPlan {
  /** Index of the first message that stays; the number of messages when none does. Always a turn's beginning. */
  readonly firstKept: number;
  /**
   * Oldest first. Messages that come later change none but the last of them, so a summary that was made for a chunk with the same text is good for
   * another attempt (R9).
   */
  readonly chunks: readonly CompactionChunk[];
  /** How many of the oldest messages are in no chunk: `maxChunks` left no room for them. */
  readonly leftOut: number;
  /** The chunks are bounded in number, and so are the requests: their summaries must be merged in one. */
  readonly isLimited: boolean;
  /** The previous summary, when messages between it and the first chunk are left out; otherwise it is part of the first chunk. */
  readonly earlierSummary?: string;
  readonly tokensBefore: number;
  /** True when words of strangers are in what is summarised: the summary is tainted too (R23). */
  readonly tainted: boolean;
}

/**
 * Plans a compaction (R9): the cut lies between two turns, so no call loses its result, and about `keepRecentTokens` stay; more
 * where the turns are large and the window has room. `undefined` when there is nothing before the last turn that could be summarised; then only
 * `fallbackCompaction` helps. Pure.
 */
export function planCompaction(messages: readonly AgentMessage[], options: CompactionOptions): CompactionPlan | undefined {
  const firstKept = cutAt(messages, options);
  if (firstKept === 0) return undefined;
  const old = messages.slice(0, firstKept);
  const { previousSummary, maxChunks = Number.POSITIVE_INFINITY } = options;
  const summariserWindow = options.summariserWindow ?? options.window;
  const maxChunk =
    maxChunks === Number.POSITIVE_INFINITY ? contextBudget({ window: summariserWindow }).maxChunk : Math.floor(summariserWindow / 2);
  const lines = renderTranscript(old, { maxTokens: maxChunk, time: options.time });
  const all = chunksOf(previousSummary === undefined ? lines : [previous(previousSummary), ...lines], maxChunk);
  const chunks = all.slice(Math.max(0, all.length - maxChunks));
  const isCut = chunks.length < all.length;
  return {
    firstKept,
    chunks: chunks.map(({ text, tokens }) => ({ text, tokens })),
    isLimited: maxChunks !== Number.POSITIVE_INFINITY,
    leftOut: isCut ? Math.max(0, chunks[0]?.firstMessage ?? firstKept) : 0,
    ...(isCut && previousSummary !== undefined ? { earlierSummary: previousSummary } : {}),
    tokensBefore: options.contextTokens,
    tainted: old.some((message) => message.role !== "assistant" && message.tainted === true),
  };
}

/** The latest turn's beginning behind which there is enough; the end of the messages counts when the last turn is over. */
function cutAt(messages: readonly AgentMessage[], options: CompactionOptions): number {
  const { maxContext, keepRecent } = contextBudget(options);
  const overhead = Math.max(0, options.contextTokens - estimateTokens(messages));
  const maxKept = Math.max(keepRecent, Math.floor((maxContext - overhead) / 2));
  let cut = isTurnOver(messages) ? messages.length : undefined;
  let cutTokens = 0;
  let tokens = 0;
  for (let index = messages.length - 1; index >= 0; index--) {
    const message = messages[index];
    if (message === undefined) break;
    tokens += estimateMessageTokens(message);
    if (!beginsTurn(message)) continue;
    if (cut !== undefined && (cutTokens >= keepRecent || tokens > maxKept)) break;
    cut = index;
    cutTokens = tokens;
  }
  return cut ?? 0;
}

function isTurnOver(messages: readonly AgentMessage[]): boolean {
  const last = messages.at(-1);
  return last?.role === "assistant" && !last.content.some(({ type }) => type === "toolCall");
}

function previous(summary: string): TranscriptLine {
  const text = renderJson({ role: "summary of what came before", text: summary });
  return { message: -1, text, tokens: estimateTokens(text) + 1 };
}

interface MessageChunk extends CompactionChunk {
  /** Index of the message that its first line comes from. */
  readonly firstMessage: number;
}

function chunksOf(lines: readonly TranscriptLine[], maxTokens: number): readonly MessageChunk[] {
  const chunks: { readonly lines: string[]; tokens: number; readonly firstMessage: number }[] = [];
  for (const { text, tokens, message } of lines) {
    const open = chunks.at(-1);
    if (open === undefined || open.tokens + tokens > maxTokens) {
      chunks.push({ lines: [text], tokens, firstMessage: message });
    } else {
      open.lines.push(text);
      open.tokens += tokens;
    }
  }
  return chunks.map(({ lines: texts, ...chunk }) => ({ ...chunk, text: texts.join("\n") }));
}
