import type { Logger } from "@factotum/agent-contract";
import { redactSecrets } from "@factotum/config";
import { pino, type Logger as PinoLogger } from "pino";
import { renderError } from "./render-error.ts";
import { renderLogLine, type LogLevel } from "./log-line.ts";
import type { SecretFilter } from "./secret-filter.ts";

/** The targets of the log and its redaction. */
export interface LoggerOptions {
  readonly write: (line: string) => void;
  /** True for a terminal; false writes one JSON object per line. */
  readonly pretty: boolean;
  /** Gets every line as JSON, regardless of `pretty`. */
  readonly keep?: (line: string) => void;
  readonly level: LogLevel;
  readonly secrets: SecretFilter;
}

/** The gateway's log. Values of keys named like a secret, and every registered secret anywhere, are redacted. */
export function createLogger({ write, pretty, keep, level, secrets }: LoggerOptions): Logger {
  const destination = {
    write: (line: string): void => {
      const safe = secrets.hide(line);
      keep?.(safe);
      write(pretty ? `${renderLogLine(JSON.parse(safe) as Record<string, unknown>, { withDate: false })}\n` : safe);
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
      serializers: { error: renderError },
    },
    destination,
  );
  return adapt(log);
}

function adapt(log: PinoLogger): Logger {
  return {
    // Lines below the level are not redacted either: turns log much at debug.
    debug: (message, fields) => log.isLevelEnabled("debug") && log.debug(safe(fields), message),
    info: (message, fields) => log.info(safe(fields), message),
    warn: (message, fields) => log.warn(safe(fields), message),
    error: (message, fields) => log.error(safe(fields), message),
    child: (fields) => adapt(log.child(safe(fields))),
  };
}

/** Fields without the values of keys named like a secret. Errors are written by their serializer. Never throws: a line is not worth an error. */
function safe(fields: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  try {
    return Object.fromEntries(
      Object.entries(fields).map(([key, value]) => [key, value instanceof Error ? value : redactSecrets(value, [key])]),
    );
  } catch {
    // Data of others can be nested too deep for what walks through it.
    return { leftOut: "the fields cannot be written" };
  }
}
