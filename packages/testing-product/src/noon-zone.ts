/** A time zone in which it is about noon: far from midnight, and from the hour of the daily reset. Tests that are not about the change of the day never see it. */
export function noonZone(nowMs: number): string {
  const offset = 12 - new Date(nowMs).getUTCHours();
  // These names have inverted signs: they say how far Greenwich is ahead.
  return offset === 0 ? "UTC" : `Etc/GMT${offset > 0 ? "-" : "+"}${Math.abs(offset)}`;
}
