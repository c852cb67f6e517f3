import type { ModelEvent } from "@factotum/agent-contract";

/**
 * True for an event of the answer's text: a person may have read it, so the answer cannot be withdrawn without asking. Thoughts and the arguments of calls are
 * withdrawn by the `message-start` of the next attempt.
 */
export function isText(event: ModelEvent): boolean {
  return event.type === "text-start" || event.type === "text-delta" || event.type === "text-end";
}
