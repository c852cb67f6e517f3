import type { AgentMessage, ToolResultMessage } from "@factotum/agent-contract";
import { headOf, tailOf } from "../text/cut-text.ts";
import { estimateMessageTokens } from "../tokens/estimate-tokens.ts";

const PROTECTED_ANSWERS = 3;
const SOFT_SHARE = 0.3;
const HARD_SHARE = 0.5;
const SOFT_MAX_CHARS = 4_000;
const SOFT_KEPT_CHARS = 1_500;
const HARD_MIN_CHARS = 50_000;
const CLEARED = "[Old tool result removed to make room; call the tool again if it matters.]";

/** The result of pruning. */
export interface PruneResult {
  readonly messages: readonly AgentMessage[];
  readonly trimmed: number;
  readonly cleared: number;
  /** Estimated tokens saved, by `estimateTokens`. */
  readonly savedTokens: number;
}

/**
 * Prunes old tool results, at a named cause only (mostly a cold cache) and never in the transcript.
 *
 * Above 30 % of the window, results over 4,000 characters keep their first and last 1,500. If the context still fills half of the window and the old results
 * hold 50,000 characters, they are emptied, oldest first, until it does not. Results of the last three answers are never pruned. Pure; unchanged messages are
 * returned as the same objects. For a stable prefix until the next cause, prune the same messages with the same figures and append later ones.
 */
export function pruneToolResults(
  messages: readonly AgentMessage[],
  options: { readonly contextTokens: number; readonly contextWindow: number },
): PruneResult {
  const border = protectedFrom(messages);
  const pruned = [...messages];
  let tokens = options.contextTokens;
  let trimmed = 0;
  let cleared = 0;
  const replace = (index: number, message: ToolResultMessage, text: string): void => {
    const smaller: ToolResultMessage = {
      ...message,
      content: [{ type: "text", text }, ...message.content.filter(({ type }) => type === "image")],
    };
    tokens += estimateMessageTokens(smaller) - estimateMessageTokens(message);
    pruned[index] = smaller;
  };
  const share = (): number => tokens / options.contextWindow;
  for (const [index, message] of oldResults(pruned, border)) {
    if (share() <= SOFT_SHARE) break;
    const text = textOf(message);
    if (text.length <= SOFT_MAX_CHARS) continue;
    replace(index, message, softTrim(text));
    trimmed++;
  }
  const old = oldResults(pruned, border);
  const oldChars = old.reduce((sum, [, message]) => sum + textOf(message).length, 0);
  for (const [index, message] of oldChars >= HARD_MIN_CHARS ? old : []) {
    if (share() < HARD_SHARE) break;
    if (textOf(message).length <= CLEARED.length) continue;
    replace(index, message, CLEARED);
    cleared++;
  }
  return { messages: trimmed + cleared === 0 ? messages : pruned, trimmed, cleared, savedTokens: options.contextTokens - tokens };
}

/** Index of the third answer from the end; 0 if there are fewer. */
function protectedFrom(messages: readonly AgentMessage[]): number {
  let answers = PROTECTED_ANSWERS;
  for (let index = messages.length - 1; index >= 0; index--) if (messages[index]?.role === "assistant" && --answers === 0) return index;
  return 0;
}

function oldResults(messages: readonly AgentMessage[], border: number): readonly (readonly [number, ToolResultMessage])[] {
  return messages.slice(0, border).flatMap((message, index) => (message.role === "toolResult" ? [[index, message] as const] : []));
}

function textOf({ content }: ToolResultMessage): string {
  return content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
}

function softTrim(text: string): string {
  const note = `[Old tool result shortened: the first and last ${SOFT_KEPT_CHARS} of ${text.length} characters are here.]`;
  return `${headOf(text, SOFT_KEPT_CHARS)}\n[…]\n${tailOf(text, SOFT_KEPT_CHARS)}\n${note}`;
}
