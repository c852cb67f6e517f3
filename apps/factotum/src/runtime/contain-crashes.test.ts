import type { Logger } from "@factotum/agent-contract";
import { expect, test } from "vitest";
import { containCrashes } from "./contain-crashes.ts";

/** A logger that reads the stack of an error, as the gateway's does. */
function recordingLogger(logged: unknown[]): Logger {
  const log = (text: string, fields?: Readonly<Record<string, unknown>>): void => {
    const { error, ...others } = fields ?? {};
    logged.push([text, { ...others, ...(error instanceof Error && { stack: error.stack?.split("\n")[0] }) }]);
  };
  const logger: Logger = { debug: log, info: log, warn: log, error: log, child: () => logger };
  return logger;
}

test("an error whose stack cannot be read is contained like any other", () => {
  const logged: unknown[] = [];
  const before = process.listeners("uncaughtException");
  using _crashes = containCrashes(recordingLogger(logged), () => undefined);
  const own = process.listeners("uncaughtException").find((listener) => !before.includes(listener));
  const odd = new Error("odd");
  Object.defineProperty(odd, "stack", {
    get: () => {
      throw new Error("no stack");
    },
  });
  own?.(new Error("plain"), "uncaughtException");
  own?.(odd, "uncaughtException");
  expect(logged).toEqual([
    ["An error reached nobody; the gateway goes on", { origin: "exception", stack: "Error: plain" }],
    ["An error reached nobody, and cannot be shown; the gateway goes on", { origin: "exception" }],
  ]);
});
