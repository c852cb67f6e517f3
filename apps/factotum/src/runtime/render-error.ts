import { stdSerializers } from "pino";

/** `INDEX_SIZE_ERR` and 24 more, which every DOMException inherits, with the number of its own in `code`. */
const CONSTANTS: ReadonlySet<string> = new Set(Object.keys(DOMException));

/** An error for the log, with its causes. Of a DOMException, such as that of a timeout, only what describes it. */
export function renderError(error: Error): object {
  return withoutConstants(stdSerializers.errWithCause(error)) as object;
}

function withoutConstants(rendered: unknown): unknown {
  if (Array.isArray(rendered)) return rendered.map(withoutConstants);
  if (typeof rendered !== "object" || rendered === null) return rendered;
  const entries = Object.entries(rendered);
  const own = entries.filter(([key]) => !CONSTANTS.has(key));
  const isException = own.length < entries.length;
  return Object.fromEntries(
    own
      .filter(([key, value]) => !(isException && key === "code" && typeof value === "number"))
      .map(([key, value]) => [key, key === "cause" || key === "aggregateErrors" ? withoutConstants(value) : value]),
  );
}
