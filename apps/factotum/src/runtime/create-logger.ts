import type { Logger } from "@factotum/agent-contract";
import { redactSecrets } from "@factotum/config";
import { pino, stdSerializers, type Logger as PinoLogger } from "pino";
import type { SecretFilter } from "./secret-filter.ts";

/** Where the log goes and what must not be in it. */
export interface LoggerOptions {
  readonly write: (line: string) => void;
  /** True for a person who watches; false writes one JSON object a line. */
  readonly pretty: boolean;
  readonly level: "debug" | "info" | "warn" | "error";
  readonly secrets: SecretFilter;
}

/** The gateway's log. Values under keys that are named like a secret, and every registered secret wherever it stands, are replaced. */
export function createLogger({ write, pretty, level, secrets }: LoggerOptions): Logger {
  const destination = {
    write: (line: string): void => {
      const safe = secrets.hide(line);
      write(pretty ? renderLine(safe) : safe);
    },
  };
  const log = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      messageKey: "message",
      errorKey: "error",
      formatters: { level: (label) => ({ level: label }) },
      serializers: { error: stdSerializers.errWithCause },
    },
    destination,
  );
  return adapt(log);
}

function adapt(log: PinoLogger): Logger {
  return {
    debug: (message, fields) => log.debug(safe(fields), message),
    info: (message, fields) => log.info(safe(fields), message),
    warn: (message, fields) => log.warn(safe(fields), message),
    error: (message, fields) => log.error(safe(fields), message),
    child: (fields) => adapt(log.child(safe(fields))),
  };
}

/** Fields without the values of keys that are named like a secret. Errors are written by their serializer. */
function safe(fields: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([key, value]) => [key, value instanceof Error ? value : redactSecrets(value, [key])]),
  );
}

/** One line for a person: time, level, message, then what else is known. */
function renderLine(json: string): string {
  const { time, level, message, error, ...fields } = JSON.parse(json) as Record<string, unknown>;
  const rest = Object.entries(fields).map(([key, value]) => `${key}=${typeof value === "string" ? value : JSON.stringify(value)}`);
  const failure = error === undefined ? [] : [`error=${JSON.stringify(messagesOf(error).join(": "))}`];
  return `${[String(time).slice(11, 19), String(level).padEnd(5), message, ...rest, ...failure].join(" ")}\n`;
}

function messagesOf(error: unknown): string[] {
  if (typeof error !== "object" || error === null) return [];
  const { message, cause } = error as { readonly message?: unknown; readonly cause?: unknown };
  return [String(message), ...messagesOf(cause)];
}
