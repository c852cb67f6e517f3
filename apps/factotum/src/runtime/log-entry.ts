import type { LogEntry } from "@factotum/protocol";
import { LOG_LEVELS, fieldsOf, levelRank, parseLogLine, visible, type LogLevel } from "./log-line.ts";

const MAX_MESSAGE = 1000;
const MAX_VALUE = 2000;
const MAX_FIELDS = 50;

/** Which lines of the log are wanted. */
export interface LogFilter {
  /** The lowest level. */
  readonly level?: LogLevel | undefined;
  /** What a line is about, or the beginning of that. */
  readonly source?: string | undefined;
  /** Ignoring case. */
  readonly text?: string | undefined;
}

/** True for a line of the log that passes the filter. */
export function passes(line: string, { level = "debug", source, text }: LogFilter): boolean {
  if (line === "" || (text !== undefined && !line.toLowerCase().includes(text.toLowerCase()))) return false;
  const fields = parseLogLine(line);
  if (levelRank(fields?.["level"]) < levelRank(level)) return false;
  return source === undefined || sourceOf(fields ?? {}).startsWith(source);
}

/** A line as clients get it. A line that the gateway did not write is its message. */
export function toLogEntry(line: string): LogEntry {
  const fields = parseLogLine(line);
  if (fields === undefined) return { level: "info", source: "gateway", message: cut(visible(line), MAX_MESSAGE), fields: [] };
  const { time, level, message } = fields;
  return {
    // Of a foreign line it may be anything.
    ...(typeof time === "string" && !Number.isNaN(Date.parse(time)) ? { time } : {}),
    level: LOG_LEVELS.find((name) => name === level) ?? "info",
    source: sourceOf(fields),
    message: cut(visible(String(message)), MAX_MESSAGE),
    fields: fieldsOf(fields)
      .slice(0, MAX_FIELDS)
      .map(([name, value]) => ({ name: visible(name), value: cut(visible(value), MAX_VALUE) })),
  };
}

/** What a line is about, by its first field of these. */
function sourceOf(fields: Readonly<Record<string, unknown>>): string {
  const { channel, accountId } = fields;
  if (typeof channel === "string") return typeof accountId === "string" ? `${channel}:${accountId}` : channel;
  for (const name of ["plugin", "server", "job", "sessionKey", "agentId", "model", "provider"]) {
    const value = fields[name];
    if (typeof value === "string" && value !== "") return value.slice(0, 200);
  }
  return "gateway";
}

function cut(text: string, maxChars: number): string {
  return text.length <= maxChars ? text : `${text.slice(0, maxChars - 1).toWellFormed()}…`;
}
