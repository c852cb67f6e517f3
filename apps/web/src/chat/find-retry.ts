import type { ChatEntry } from "@factotum/protocol";

/** A message of the person that failed or was stopped. */
export type FailedInput = Extract<ChatEntry, { type: "user" }>;

/** Stopping by a command leaves its text behind; the button does not. */
const STOP = /^\/stop\s*$/i;

/** The newest message of the person, if it failed or was stopped and can be sent again: nothing after it has answered it. */
export function findRetry(entries: readonly ChatEntry[]): FailedInput | undefined {
  const index = entries.findLastIndex((entry) => entry.type === "user" && !STOP.test(entry.text));
  const input = entries[index];
  if (input?.type !== "user" || input.text.startsWith("/")) return undefined;
  const later = entries.slice(index + 1);
  const answer = later.findLast((entry) => entry.type === "assistant");
  // Stopped before anything was written: the only trace is the notice.
  if (answer === undefined) return later.some((entry) => entry.type === "notice") ? input : undefined;
  if (answer.stopReason === "stop") return undefined;
  const hasFailed = later.some(
    (entry) => (entry.type === "notice" && entry.level !== "info") || (entry.type === "tool-result" && entry.isStopped === true),
  );
  return hasFailed || answer.stopReason === "error" || answer.stopReason === "aborted" ? input : undefined;
}
