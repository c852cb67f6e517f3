import type { ModelEvent } from "@factotum/agent-contract";

/**
 * True for an event after which an answer cannot be withdrawn: a person may have read a part of it. Thoughts and the arguments of calls are withdrawn by the
 * `message-start` of the next attempt.
 */
export function showsText(event: ModelEvent): boolean {
  return event.type === "text-start" || event.type === "text-delta" || event.type === "text-end";
}
