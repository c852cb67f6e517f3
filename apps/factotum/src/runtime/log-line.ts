/** Levels of the log, lowest first. */
export const LOG_LEVELS = ["debug", "info", "warn", "error"] as const;

/** Name of a level. */
export type LogLevel = (typeof LOG_LEVELS)[number];

/** The fields of a line written by the gateway; `undefined` for any other line. */
export function parseLogLine(line: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null && "message" in value ? (value as Readonly<Record<string, unknown>>) : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** The rank of a line's level. Lines of unknown levels count as `info`. */
export function levelRank(level: unknown): number {
  const rank = LOG_LEVELS.findIndex((name) => name === level);
  return rank === -1 ? LOG_LEVELS.indexOf("info") : rank;
}

/** One line for a person: time, level, message, then the other fields. Foreign text in it cannot move the cursor. */
export function renderLogLine(fields: Readonly<Record<string, unknown>>, { withDate }: { readonly withDate: boolean }): string {
  const { time, level, message } = fields;
  const when = withDate ? String(time).slice(0, 19).replace("T", " ") : String(time).slice(11, 19);
  const details = renderDetails(fields);
  return visible([when, String(level).padEnd(5), message, ...(details === "" ? [] : [details])].join(" "));
}

/** What a line says in addition to its message: names with values, texts as they are and everything else as JSON, the error last, with its causes. */
export function fieldsOf(fields: Readonly<Record<string, unknown>>): readonly (readonly [name: string, value: string])[] {
  const { time: _time, level: _level, message: _message, error, ...others } = fields;
  const rest = Object.entries(others).map(([name, value]) => [name, typeof value === "string" ? value : JSON.stringify(value)] as const);
  return error === undefined ? rest : [...rest, ["error", messagesOf(error).join(": ")]];
}

/** The same as `name=value`. */
function renderDetails(fields: Readonly<Record<string, unknown>>): string {
  return fieldsOf(fields)
    .map(([name, value]) => `${name}=${name === "error" ? JSON.stringify(value) : value}`)
    .join(" ");
}

/** Control characters as their escapes. */
export function visible(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

function messagesOf(error: unknown): string[] {
  if (typeof error !== "object" || error === null) return [String(error)];
  const { message, cause } = error as { readonly message?: unknown; readonly cause?: unknown };
  return [String(message), ...(cause === undefined ? [] : messagesOf(cause))];
}
