/**
 * A time zone in which it is about noon: far from midnight, and from the hour at which conversations begin anew. A test that does not mean the change of
 * the day never sees it.
 */
export function noonZone(nowMs: number): string {
  const offset = 12 - new Date(nowMs).getUTCHours();
  // The sign of these names says how far Greenwich is ahead.
  return offset === 0 ? "UTC" : `Etc/GMT${offset > 0 ? "-" : "+"}${Math.abs(offset)}`;
}
