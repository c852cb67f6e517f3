/** The first release without the WAL-reset bug, and the release lines it was backported to (R10). */
const FIRST_SAFE = [3, 51, 3] as const;
const SAFE_LINES = [
  [3, 50, 7],
  [3, 44, 6],
] as const;

/** Whether the loaded SQLite may open a database for writing. */
export function isSafeSqlite(version: string): boolean {
  const [major = 0, minor = 0, patch = 0] = version.split(".").map(Number);
  if (SAFE_LINES.some((line) => line[0] === major && line[1] === minor && patch >= line[2])) return true;
  if (major !== FIRST_SAFE[0]) return major > FIRST_SAFE[0];
  return minor === FIRST_SAFE[1] ? patch >= FIRST_SAFE[2] : minor > FIRST_SAFE[1];
}
