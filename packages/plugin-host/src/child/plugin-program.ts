import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import { format } from "node:util";
import type { FromPlugin, ToPlugin } from "./messages.ts";
import { PluginRuntime, textOf } from "./plugin-runtime.ts";

/**
 * The program of an isolated plugin: one plugin, over standard input and output. Its arguments are the limits of `RuntimeOptions`. It ends with its input, so that
 * a plugin never outlives its gateway.
 */
const [maxAnswerChars = 0, maxLogLines = 0] = process.argv.slice(2).map(Number);

// Taken before any code of the plugin can replace it.
const write = process.stdout.write.bind(process.stdout);

function send(message: FromPlugin): void {
  const text = JSON.stringify(message);
  if (text.length > 2 * maxAnswerChars) throw new Error(`a message of ${text.length} characters is too long`);
  write(`${text}\n`);
}

const runtime = new PluginRuntime({
  send,
  load: async (entry) => (await import(pathToFileURL(entry).href)) as object,
  // eslint-disable-next-line no-restricted-properties -- the clock of this process, which every other part is given
  now: () => Date.now(),
  maxAnswerChars,
  maxLogLines,
});

// What plugins print is for the log; standard output is for messages.
const printed =
  (level: "debug" | "info" | "warn" | "error") =>
  (...parts: unknown[]) =>
    runtime.log(level, format(...parts));
Object.assign(globalThis.console, {
  debug: printed("debug"),
  log: printed("info"),
  info: printed("info"),
  warn: printed("warn"),
  error: printed("error"),
});

process.on("unhandledRejection", (error) =>
  send({ type: "fault", message: `a promise was rejected, and nothing handled it: ${textOf(error)}` }),
);
process.on("uncaughtException", (error) => {
  // The process is in an unknown state.
  write(
    `${JSON.stringify({ type: "fault", message: `an error was thrown, and nothing handled it: ${textOf(error)}` } satisfies FromPlugin)}\n`,
    () => process.exit(1),
  );
});

const lines = createInterface({ input: process.stdin });
lines.on("line", (line) => runtime.take(JSON.parse(line) as ToPlugin));
lines.on("close", () => process.exit(0));
