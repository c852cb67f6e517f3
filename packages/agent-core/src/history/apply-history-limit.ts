import type { AgentMessage } from "@factotum/agent-contract";
import { beginsTurn } from "./begins-turn.ts";

/**
 * The last turns of a history, at most `limit` (0 or `undefined`: all). A history over the limit is cut to half of it at once, so that the cut does not move
 * with every turn; each cut is the named break `history-limit`: `droppedTurns` has grown.
 *
 * Pass every message since the last compaction, including the current turn: the position of the cut depends only on the number of turns, also after a restart.
 * A turn begins with a user message.
 */
export function applyHistoryLimit(
  messages: readonly AgentMessage[],
  limit: number | undefined,
): { readonly messages: readonly AgentMessage[]; readonly droppedTurns: number } {
  if (limit === undefined || limit <= 0) return { messages, droppedTurns: 0 };
  const starts = messages.flatMap((message, index) => (beginsTurn(message) ? [index] : []));
  if (starts.length <= limit) return { messages, droppedTurns: 0 };
  const kept = Math.max(1, Math.floor(limit / 2));
  const step = limit + 1 - kept;
  const droppedTurns = step * Math.floor((starts.length - kept) / step);
  return { messages: messages.slice(starts[droppedTurns]), droppedTurns };
}
