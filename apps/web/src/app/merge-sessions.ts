import type { SessionSummary } from "@factotum/protocol";

/** Sessions with those of another list that are not among them. */
export function mergeSessions(sessions: readonly SessionSummary[], others: readonly SessionSummary[]): readonly SessionSummary[] {
  const known = new Set(sessions.map(({ key }) => key));
  return [...sessions, ...others.filter(({ key }) => !known.has(key))];
}
