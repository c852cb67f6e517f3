import type { AgentTool, AgentToolResult } from "@factotum/agent-contract";
import { REDACTED } from "@factotum/config";
import fc from "fast-check";
import { expect, test } from "vitest";
import { OutputRedactor } from "../runtime/output-redactor.ts";
import { redactTools } from "./redact-tools.ts";

const SECRET = 'canary+/"9f8e7d6c5b';

function redactorOf(...values: readonly string[]): OutputRedactor {
  const redactor = new OutputRedactor();
  redactor.add(values);
  return redactor;
}

async function run(execute: AgentTool["execute"], redactor = redactorOf(SECRET)) {
  const deltas: string[] = [];
  const tool: AgentTool = {
    name: "tool",
    summary: "",
    description: "",
    parameters: { type: "object" },
    traits: { effect: "read", idempotent: true, output: "trusted", network: false, parallel: true },
    execute,
  };
  const [redacted] = redactTools([tool], redactor);
  const options = {
    signal: new AbortController().signal,
    tainted: false,
    onDelta: (text: string) => void deltas.push(text),
    run: {} as Parameters<AgentTool["execute"]>[1]["run"],
  };
  const result: AgentToolResult | Error | undefined = await redacted
    ?.execute({ id: "1", name: "tool", arguments: {} }, options)
    .catch((error: unknown) => error as Error);
  return { result, deltas };
}

function wrap(written: string, columns: number, lineBreak: string): string {
  return (written.match(new RegExp(`.{1,${columns}}`, "g")) ?? []).join(lineBreak);
}

const text = (result: string): AgentToolResult => ({ content: [{ type: "text", text: result }] });

test.each([
  ["itself", SECRET],
  ["JSON", JSON.stringify(SECRET)],
  ["a URL", encodeURIComponent(SECRET)],
  ["base64", Buffer.from(`${SECRET}\n`).toString("base64")],
  ["base64 after one byte", Buffer.from(`:${SECRET}`).toString("base64")],
  ["base64 after two bytes", Buffer.from(`a:${SECRET}`).toString("base64")],
  ["base64url", Buffer.from(SECRET).toString("base64url")],
  ["base64 over lines", wrap(Buffer.from(`${"x".repeat(50)}${SECRET}${"y".repeat(50)}`).toString("base64"), 76, "\n")],
  ["base64 over short lines", wrap(Buffer.from(SECRET).toString("base64"), 5, "\r\n")],
  ["hexadecimal digits", Buffer.from(SECRET).toString("hex")],
  ["upper-case hexadecimal digits", Buffer.from(SECRET).toString("hex").toUpperCase()],
  ["hexadecimal digits over lines", wrap(Buffer.from(`${"x".repeat(20)}${SECRET}`).toString("hex"), 60, "\n")],
])("redacts a secret written as %s", async (_form, written) => {
  const { result } = await run(async () => text(`before ${written} after`));
  expect(JSON.stringify(result)).toContain(`before `);
  expect(JSON.stringify(result)).toContain(REDACTED);
  expect(JSON.stringify(result)).not.toContain(written);
});

test("a tool waits for pending secrets, and its result for those of another configuration", async () => {
  const redactor = redactorOf();
  const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  redactor.waitFor(first.promise.then(() => redactor.add([SECRET])));
  const other = "another-canary-0123456789";
  const execute: AgentTool["execute"] = async (_call, { onDelta }) => {
    onDelta(SECRET);
    redactor.waitFor(second.promise.then(() => redactor.add([other])));
    setImmediate(second.resolve);
    return text(`${SECRET} ${other}`);
  };
  const running = run(execute, redactor);
  setImmediate(first.resolve);
  const { result, deltas } = await running;
  expect(result).toEqual(text(`${REDACTED} ${REDACTED}`));
  expect(deltas.join("")).toBe(REDACTED);
});

test("redacts details and errors", async () => {
  const { result } = await run(async () => ({ ...text("fine"), details: { lines: [SECRET, 3, null], [SECRET]: true } }));
  expect(result).toEqual({ ...text("fine"), details: { lines: [REDACTED, 3, null], [REDACTED]: true } });
  const failed = await run(() => Promise.reject(new Error(`bad ${SECRET}`)));
  expect(failed.result).toMatchObject({ message: `bad ${REDACTED}` });
});

test("redacts streamed output wherever the chunks divide a secret", async () => {
  const wrapped = wrap(Buffer.from(SECRET).toString("hex"), 9, "\n");
  const whole = `a ${SECRET} b canary c ${SECRET}\n${wrapped}`;
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 0, max: whole.length })), async (cuts) => {
      const borders = [0, ...cuts.toSorted((left, right) => left - right), whole.length];
      const { deltas } = await run(async (_call, { onDelta }) => {
        for (const [index, border] of borders.slice(1).entries()) onDelta(whole.slice(borders[index], border));
        return text("");
      });
      expect(deltas.join("")).toBe(`a ${REDACTED} b canary c ${REDACTED}\n${REDACTED}`);
    }),
  );
});

test("leaves other text untouched, and does not match short secrets", async () => {
  const redactor = redactorOf(SECRET, "sevench");
  await fc.assert(
    fc.asyncProperty(fc.array(fc.string({ unit: "binary" })), async (chunks) => {
      const { result, deltas } = await run(async (_call, { onDelta }) => {
        for (const chunk of [...chunks, "sevench"]) onDelta(chunk);
        return text(`${chunks.join("")}sevench`);
      }, redactor);
      expect(deltas.join("")).toBe(`${chunks.join("")}sevench`);
      expect(result).toEqual(text(`${chunks.join("")}sevench`));
    }),
  );
});
