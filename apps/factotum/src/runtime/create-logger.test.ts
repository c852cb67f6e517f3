import { REDACTED } from "@factotum/config";
import fc from "fast-check";
import { expect, test } from "vitest";
import { createLogger } from "./create-logger.ts";
import { SecretFilter, secretVariables } from "./secret-filter.ts";

function memoryLog(options: { pretty: boolean; secrets?: SecretFilter; level?: "debug" | "info" }): {
  readonly lines: string[];
  readonly logger: ReturnType<typeof createLogger>;
} {
  const lines: string[] = [];
  const { pretty, secrets = new SecretFilter(), level = "info" } = options;
  return { lines, logger: createLogger({ write: (line) => void lines.push(line), pretty, level, secrets }) };
}

test.each([true, false])("no secret gets through, in message, field, child or error (pretty: %s)", (pretty) => {
  const secrets = new SecretFilter();
  const { lines, logger } = memoryLog({ pretty, secrets, level: "debug" });
  secrets.add([`canary "one"`, "canary-two"]);
  logger.info(`said canary-two`, { text: `x canary "one" y`, deep: { list: ["canary-two"] }, appSecret: "unregistered-canary" });
  logger.child({ token: "child-canary", account: "canary-two" }).warn("child");
  logger.error("failed", { error: new Error("with canary-two", { cause: new Error(`and canary "one"`) }) });
  logger.debug("plain", { size: 3 });
  expect(lines).toHaveLength(4);
  expect(lines.slice(0, 3).join("")).not.toMatch(/canary-two|canary \\*"one|unregistered-canary|child-canary/);
  expect(lines[0]).toContain(REDACTED);
  expect(lines[3]).toContain("plain");
});

test("lines are JSON with level, time, message, fields and the error's cause", () => {
  const { lines, logger } = memoryLog({ pretty: false });
  logger.child({ channel: "x" }).error("it failed", { error: new TypeError("bad", { cause: new Error("deeper") }), count: 2 });
  logger.debug("not shown");
  expect(lines).toHaveLength(1);
  expect(JSON.parse(lines[0] ?? "")).toMatchObject({
    level: "error",
    message: "it failed",
    channel: "x",
    count: 2,
    error: { type: "TypeError", message: "bad", cause: { message: "deeper" } },
  });
});

test("of a DOMException only what describes it is logged, also as a cause and as one of several", () => {
  const { lines, logger } = memoryLog({ pretty: false });
  const late = (): DOMException => new DOMException("too late", "TimeoutError");
  logger.warn("late", { error: late() });
  logger.warn("failed", { error: new Error("no answer", { cause: late() }) });
  logger.warn("all failed", { error: new AggregateError([late()], "all") });
  const [direct, cause, several] = lines.map((line) => (JSON.parse(line) as { error: Record<string, unknown> }).error);
  const shown = { type: "DOMException", name: "TimeoutError", message: "too late", stack: expect.stringContaining("too late") as string };
  expect(direct).toEqual(shown);
  expect(cause?.["cause"]).toEqual(shown);
  expect(several?.["aggregateErrors"]).toEqual([shown]);
});

test("the code and the other fields of an error are logged", () => {
  const { lines, logger } = memoryLog({ pretty: false });
  logger.warn("failed", { error: Object.assign(new Error("no entry"), { code: "ENOENT", errno: -2 }) });
  logger.warn("failed", { error: Object.assign(new Error("refused"), { code: 20 }) });
  expect(lines.map((line) => (JSON.parse(line) as { error: object }).error)).toMatchObject([{ code: "ENOENT", errno: -2 }, { code: 20 }]);
});

test("a person gets one line", () => {
  const { lines, logger } = memoryLog({ pretty: true });
  logger.info("Channel started", { channel: "webchat", tries: 2 });
  logger.error("It failed", { error: new Error("bad", { cause: new Error("deeper") }) });
  expect(lines[1]).toMatch(/^\d\d:\d\d:\d\d error It failed error="bad: deeper"\n$/);
  expect(lines[0]).toMatch(/^\d\d:\d\d:\d\d info {2}Channel started channel=webchat tries=2\n$/);
});

test("the text contains none of any secrets", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ minLength: 4 }), { minLength: 1, maxLength: 5 }), fc.string(), (values, between) => {
      const filter = new SecretFilter();
      filter.add(values);
      const hidden = filter.hide(values.map((value) => `${between}${value}`).join("\n"));
      for (const value of values)
        expect(hidden.replaceAll(REDACTED, "").includes(value) && !between.includes(value) && !REDACTED.includes(value)).toBe(false);
    }),
    { numRuns: 200 },
  );
});

test("variables named like a key are secrets", () => {
  const env = { OPENAI_API_KEY: "sk-12345678", PATH: "/usr/bin:/bin", MY_TOKEN: "short", DB_PASSWORD: "long-enough" };
  expect(secretVariables(env)).toEqual(["sk-12345678", "long-enough"]);
});

test("each long line of a multi-line secret is hidden, its frame and short lines are not", () => {
  const secrets = new SecretFilter();
  secrets.add(["-----BEGIN PRIVATE KEY-----\nMIIEvgIBADANBgkqhkiG\r\nQ0EwggSkAgEAAoIBAQ\nshort\n-----END PRIVATE KEY-----"]);
  expect(secrets.hide("a MIIEvgIBADANBgkqhkiG b Q0EwggSkAgEAAoIBAQ c short -----BEGIN PRIVATE KEY-----")).toBe(
    `a ${REDACTED} b ${REDACTED} c short -----BEGIN PRIVATE KEY-----`,
  );
});
