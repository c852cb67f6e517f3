import { beginsTurn } from "../history/begins-turn.ts";
import type { AgentMessage } from "@factotum/agent-contract";
import type { TimeFormat } from "../effective-prompt/time-format.ts";
import { renderJson } from "../effective-prompt/render-json.ts";
import { estimateMessageTokens, estimateTokens } from "../tokens/estimate-tokens.ts";
import { contextBudget, type ContextBudgetOptions } from "./context-budget.ts";
import { renderTranscript, type TranscriptLine } from "./render-transcript.ts";

/** Options of a compaction plan. */
export interface CompactionOptions extends ContextBudgetOptions {
  /** Size of the whole context, including system prompt and tools. */
  readonly contextTokens: number;
  /** Formats times in the user's zone. */
  readonly time: TimeFormat;
  /** The window of the model that writes the summary; the session's model's by default. */
  readonly summariserWindow?: number;
  /** The earlier summary before these messages. */
  readonly previousSummary?: string;
  /**
   * Maximum number of chunks, the newest ones, each up to half of the summariser's window: for a history larger than the model's window. Older messages are
   * left out. Unlimited by default.
   */
  readonly maxChunks?: number;
}

/** One chunk of the messages to summarise, as the summariser gets it. */
interface CompactionChunk {
  readonly text: string;
  readonly tokens: number;
}

/** The messages to summarise, and the cut. */
export interface CompactionPlan {
  /** Index of the first message to keep, always the start of a turn; the number of messages if none is kept. */
  readonly firstKept: number;
  /** Oldest first. New messages change only the last chunk, so a summary of a chunk with the same text can be reused by another attempt (R9). */
  readonly chunks: readonly CompactionChunk[];
  /** Number of the oldest messages that `maxChunks` excludes from every chunk. */
  readonly leftOut: number;
  /** The number of chunks is bounded, and so is that of requests: their summaries must be merged in one request. */
  readonly isLimited: boolean;
  /** The previous summary, if messages between it and the first chunk are left out; otherwise it is part of the first chunk. */
  readonly earlierSummary?: string;
  readonly tokensBefore: number;
  /** True if text of others is summarised: the summary is tainted too (R23). */
  readonly tainted: boolean;
}

/**
 * Plans a compaction (R9). The cut is between two turns, so no call loses its result, and about `keepRecentTokens` are kept; more if the turns are large and
 * there is space in the window. `undefined` if nothing before the last turn can be summarised; then only `fallbackCompaction` helps. Pure.
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

/** The start of the latest turn with enough tokens after it; the end of the messages counts if the last turn is over. */
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
  /** Index of the message of its first line. */
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
