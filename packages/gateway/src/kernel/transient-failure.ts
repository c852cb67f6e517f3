const TRANSIENT: ReadonlySet<string> = new Set(["rate-limited", "overloaded", "timeout", "unreachable", "truncated", "server"]);

/** True for the code of a model call's failure that may pass by itself. */
export function isTransientFailure(code: string): boolean {
  return TRANSIENT.has(code);
}
