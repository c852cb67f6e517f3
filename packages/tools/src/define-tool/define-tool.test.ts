import type { JsonObject } from "@factotum/agent-contract";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createToolRig, textOf } from "../../test/tool-rig.ts";
import { FileAccessError } from "../file-access/file-access-error.ts";
import { defineTool } from "./define-tool.ts";
import { textResult } from "./tool-result.ts";

const traits = { effect: "read", idempotent: true, output: "trusted", network: false, parallel: true } as const;

const sample = defineTool({
  name: "sample",
  summary: "s",
  description: "d",
  schema: z.strictObject({
    path: z.string(),
    count: z.int().min(1).optional(),
    items: z.array(z.strictObject({ text: z.string() })).optional(),
  }),
  aliases: { file_path: "path" },
  traits,
  execute: (args, { callId }) => Promise.resolve(textResult(JSON.stringify({ ...args, callId }))),
});

describe("parameters", () => {
  test("are a JSON Schema without dialect, aliases and bounds that say nothing to a model", () => {
    expect(sample.parameters).toEqual({
      type: "object",
      properties: {
        path: { type: "string" },
        count: { type: "integer" },
        items: {
          type: "array",
          items: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
        },
      },
      required: ["path"],
    });
  });
});

describe("arguments", () => {
  test.each([
    [{ path: "a" }, `{"path":"a","callId":"call-1"}`],
    [{ file_path: "a", count: null }, `{"path":"a","callId":"call-1"}`],
    [{ path: "a", items: [] }, `{"path":"a","items":[],"callId":"call-1"}`],
    [{ path: "a", file_path: "a" }, `{"path":"a","callId":"call-1"}`],
    [{ path: "a", file_path: "" }, `{"path":"a","callId":"call-1"}`],
    [{ path: "", file_path: "a" }, `{"path":"a","callId":"call-1"}`],
    [{ path: null, file_path: "a" }, `{"path":"a","callId":"call-1"}`],
  ])("%j is taken", async (args, text) => {
    await using rig = await createToolRig();
    expect(textOf(await rig.call(sample, args))).toBe(text);
  });

  test.each([
    [{}, ["path: expected string, received undefined"]],
    [{ path: 1 }, ["path: expected string, received number"]],
    [{ path: "a", count: "2" }, ["count: expected number, received string"]],
    [{ path: "a", colour: "red" }, ["unknown parameters: colour; allowed: path, count, items"]],
    [{ path: "a", file_path: "b" }, ["unknown parameters: file_path"]],
    [
      { path: "a", items: [{ text: "x" }, { text: 2 }, { text: "y", more: 1 }] },
      ["items[1].text: expected string", "items[2]: has no more"],
    ],
    [{ path: "a", items: "x", count: 0 }, ["items: expected array", "count: at least 1"]],
    [{ path: "a", ["__proto__"]: 1 }, ["unknown parameters: __proto__"]],
  ])("%j is refused with the field and what is expected", async (args, parts) => {
    await using rig = await createToolRig();
    const result = await rig.call(sample, args);
    expect(result.isError).toBe(true);
    for (const part of parts) expect(textOf(result)).toContain(part);
  });
});

describe("failures", () => {
  const failing = (error: Error) =>
    defineTool({
      name: "failing",
      summary: "s",
      description: "d",
      schema: z.strictObject({}),
      traits,
      execute: () => Promise.reject(error),
    });

  test("of file access become results", async () => {
    await using rig = await createToolRig();
    const result = await rig.call(failing(new FileAccessError("outside", "Too far.")), {});
    expect(result).toEqual({ content: [{ type: "text", text: "Too far." }], details: { code: "outside" }, isError: true });
  });

  test("of other kinds are not hidden", async () => {
    await using rig = await createToolRig();
    await expect(rig.call(failing(new TypeError("bug")), {})).rejects.toThrow("bug");
  });
});

test("a call that would fail is invalid before the owner is asked about it; any other one is shown with its arguments", async () => {
  await using rig = await createToolRig();
  const inspect = async (args: JsonObject) => sample.inspect?.({ id: "call-1", name: "sample", arguments: args }, rig.run);
  expect(await inspect({ path: "a", count: 0 })).toEqual({
    type: "invalid",
    message: textOf(await rig.call(sample, { path: "a", count: 0 })),
  });
  expect(await inspect({ path: "a" })).toEqual({ type: "action", text: '{\n  "path": "a"\n}', binding: { path: "a" } });
});
