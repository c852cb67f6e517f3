import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseCall, UNREADABLE_CALL } from "./parse-call.ts";

const LS = { name: "ls", argumentsText: '{"path":"."}' };

describe("a closed block", () => {
  test.each([
    ["as it should be", '\n{"name": "ls", "arguments": {"path": "."}}\n'],
    ["with parameters", '{"name":"ls","parameters":{"path":"."}}'],
    ["with its arguments as a string", '{"name":"ls","arguments":"{\\"path\\":\\".\\"}"}'],
    ["without its last braces", '{"name":"ls","arguments":{"path":"."'],
    ["with single quotes and a comma too many", "{'name':'ls','arguments':{'path':'.',}}"],
    ["in a fence of its own", '```json\n{"name":"ls","arguments":{"path":"."}}\n```'],
  ])("%s", (_name, body) => {
    expect(parseCall(body, { closed: true })).toEqual(LS);
  });

  test("a line break in a string, which JSON forbids, is repaired", () => {
    expect(JSON.parse(parseCall('{"name":"write","arguments":{"content":"a\nb"}}', { closed: true }).argumentsText)).toEqual({
      content: "a\nb",
    });
  });

  test("omitted arguments are an empty object", () => {
    expect(parseCall('{"name":"now"}', { closed: true })).toEqual({ name: "now", argumentsText: "{}" });
  });

  test.each([
    "",
    "list the files",
    "[1]",
    '{"arguments":{}}',
    '{"name":7}',
    '{"name":"ls","arguments":[1]}',
    '{"name":"rm -rf /","arguments":{}}',
  ])("%j is not a call", (body) => {
    expect(parseCall(body, { closed: true })).toEqual({ name: UNREADABLE_CALL, argumentsText: "{}" });
  });
});

test("a block cut by the end of the answer is not repaired: the missing part might matter", () => {
  expect(parseCall('{"name":"ls","arguments":{"path":"."}}', { closed: false })).toEqual(LS);
  expect(parseCall('{"name":"ls","arguments":{"path":"."', { closed: false }).name).toBe(UNREADABLE_CALL);
});

test("never fails, and always returns a name and a JSON object", () => {
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: "binary" }), fc.json()), fc.boolean(), (body, closed) => {
      const call = parseCall(body, { closed });
      expect(call.name).toMatch(/^[\w.-]{1,64}$/);
      expect(JSON.parse(call.argumentsText)).toEqual(expect.any(Object));
    }),
  );
});
