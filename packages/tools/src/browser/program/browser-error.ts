/** A failure that the model can act on; the message is for it. */
export class BrowserError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "BrowserError";
  }
}

/** The library's messages have a log after their first line, and colours. */
export function firstLine(error: unknown): string {
  const text = error instanceof Error ? error.message : "unknown reason";
  // oxlint-disable-next-line no-control-regex -- colours of terminals
  return (text.replaceAll(/\u001B\[[\d;]*m/g, "").split("\n")[0] ?? "").replace(/^[\w.]+: /, "").slice(0, 300);
}
