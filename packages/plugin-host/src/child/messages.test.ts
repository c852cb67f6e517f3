import { expect, test } from "vitest";
import { parseFromPlugin } from "./messages.ts";

const nested = (levels: number): unknown => JSON.parse("[".repeat(levels) + "]".repeat(levels));

test("data that is nested too deep for what walks through it is no message", () => {
  expect(parseFromPlugin({ type: "result", call: 1, value: nested(99) })).toMatchObject({ type: "result" });
  expect(parseFromPlugin({ type: "result", call: 1, value: nested(101) })).toBeUndefined();
  expect(parseFromPlugin({ type: "log", level: "info", message: "deep", fields: { a: nested(100_000) } })).toBeUndefined();
});

test.each([
  [{ type: "chunk", call: 1 }],
  [{ type: "chunk", value: {} }],
  [{ type: "error", call: 1, message: "x", status: "401" }],
  [{ type: "ready", tools: [], hooks: [], roles: [1], routes: [] }],
  [{ type: "ready", tools: [], hooks: [], roles: [] }],
  [{ type: "ready", tools: [], hooks: [], roles: [], routes: [{}] }],
  [{ type: "other" }],
  [null],
])("%j is no message", (value) => {
  expect(parseFromPlugin(value)).toBeUndefined();
});
