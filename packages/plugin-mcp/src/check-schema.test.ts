import type { JsonObject } from "@factotum/agent-contract";
import { expect, test } from "vitest";
import { schemaProblem } from "./check-schema.ts";

const withA = (a: JsonObject, more: JsonObject = {}): JsonObject => ({ type: "object", properties: { a, ...more } });
const header = (name: unknown, type = "string"): JsonObject => ({ type, "x-mcp-header": name }) as JsonObject;

test.each<[string, JsonObject, JsonObject]>([
  ["an array", { type: "array" }, { type: "object" }],
  ["a reference to another place", withA({ $ref: "https://evil.example/schema" }), withA({ $ref: "#/$defs/a" })],
  ["a header without a name", withA(header("")), withA(header("Region"))],
  ["a header that is no text", withA(header(1)), withA(header("1"))],
  ["a header with a space", withA(header("My Region")), withA(header("My-Region"))],
  ["a header with a line break", withA(header("a\r\nb")), withA(header("a_b"))],
  ["a header of a number", withA(header("Size", "number")), withA(header("Size", "integer"))],
  ["a header of an object", withA(header("Size", "object")), withA(header("Size", "boolean"))],
  ["a header twice", withA(header("Size"), { b: header("SIZE") }), withA(header("Size"), { b: header("Size-2") })],
  ["a header of all parameters", { ...withA({}), "x-mcp-header": "All" }, withA({}, { "x-mcp-header": { type: "string" } })],
  ["a header of items", withA({ type: "array", items: header("Item") }), withA({ type: "object", properties: { b: header("Inner") } })],
  ["a header in a choice", withA({ anyOf: [header("One")] }), withA({ anyOf: [{ type: "string" }] })],
])("refuses %s, and not its twin", (_name, refused, allowed) => {
  expect(schemaProblem(refused)).toBeDefined();
  expect(schemaProblem(allowed)).toBeUndefined();
});
