import { ConversationSchema } from "@factotum/channel-contract";
import { expect, test } from "vitest";
import { parseJson, parseJsonObject, parseOwn } from "./index.ts";

const deep = "[".repeat(1_000_000);

test("JSON is parsed as a text and as bytes", () => {
  expect(parseJson('{"a":[1,null]}')).toEqual({ a: [1, null] });
  expect(parseJson(Buffer.from('"好"'))).toBe("好");
});

test.each(["", "{", "undefined", "\u0000", deep])("what is no JSON is undefined (%#)", (text) => {
  expect(parseJson(text)).toBeUndefined();
  expect(parseJson(Buffer.from(text))).toBeUndefined();
});

test("an object is told from other JSON", () => {
  expect(parseJsonObject('{"a":1}')).toEqual({ a: 1 });
  for (const text of ["[]", "null", '"a"', "1", "{"]) expect(parseJsonObject(text)).toBeUndefined();
});

test("a stored value is what its schema takes", () => {
  expect(parseOwn('{"kind":"group","id":"g"}', ConversationSchema)).toEqual({ kind: "group", id: "g" });
  for (const text of [undefined, "g", "{}", '{"kind":"group","id":"g","more":1}'])
    expect(parseOwn(text, ConversationSchema)).toBeUndefined();
});
