/** The words of an error, on one line. */
export function describe(error: unknown): string {
  if (!(error instanceof Error)) return "unknown reason";
  return error.message.replace(/\s+/g, " ").trim().slice(0, 500) || error.name;
}
