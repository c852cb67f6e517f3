/** Why something failed, for a log line: the message of an error, or `unknown`. */
export function reasonOf(failure: unknown): string {
  return failure instanceof Error ? failure.message : "unknown";
}
