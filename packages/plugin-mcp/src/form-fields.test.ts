import type { JsonObject } from "@factotum/agent-contract";
import { describe, expect, test } from "vitest";
import { parseForm, type FormField } from "./form-fields.ts";

function fieldOf(property: JsonObject): FormField {
  const form = parseForm({ type: "object", properties: { field: property } });
  if (form.type === "refused" || form.fields[0] === undefined) throw new Error("the form was refused");
  return form.fields[0];
}

const FRIENDS = {
  type: "string",
  oneOf: [
    { const: "m", title: "Monica" },
    { const: "r", title: "Ross" },
  ],
};

describe("an answer", () => {
  test.each([
    [{ type: "string", format: "email" }, "ann@example.org", "ann@example.org"],
    [{ type: "string", format: "uri" }, "https://example.org/a", "https://example.org/a"],
    [{ type: "string", format: "date" }, "2024-02-29", "2024-02-29"],
    [{ type: "string", format: "date-time" }, "2024-02-29T10:00:00+01:00", "2024-02-29T10:00:00+01:00"],
    [{ type: "number" }, "2,5", 2.5],
    [{ type: "integer" }, "-3", -3],
    [{ type: "boolean" }, "yes", true],
    [{ type: "boolean" }, "No", false],
    [FRIENDS, "ross", "r"],
    [FRIENDS, "m", "m"],
    [{ type: "string", enum: ["a", "b"], enumNames: ["First", "Second"] }, "second", "b"],
    [{ type: "array", items: { type: "string", enum: ["a", "b", "c"] }, maxItems: 2 }, "b, a, b", ["b", "a"]],
    [{ type: "array", items: { anyOf: [{ const: "x", title: "Ex" }] } }, "ex", ["x"]],
  ])("of %j: %j is a value", (property, answer, value) => {
    expect(fieldOf(property).check(answer)).toEqual({ type: "value", value });
  });

  test.each([
    [{ type: "string", format: "email" }, "ann"],
    [{ type: "string", format: "uri" }, "no address"],
    [{ type: "string", format: "date" }, "2026-02-30"],
    [{ type: "string", format: "date-time" }, "2026-02-01 10:00"],
    [{ type: "string", maxLength: 3 }, "four"],
    [{ type: "number", maximum: 1 }, "1.5"],
    [{ type: "number" }, "Infinity"],
    [{ type: "integer" }, "1.5"],
    [{ type: "integer", minimum: 1 }, "0"],
    [{ type: "boolean" }, "perhaps"],
    [FRIENDS, "Joey"],
    [{ type: "array", items: { enum: ["a", "b"] }, maxItems: 1 }, "a, b"],
    [{ type: "array", items: { enum: ["a", "b"] }, minItems: 1 }, ","],
    [{ type: "array", items: { enum: ["a"] } }, "a, z"],
  ])("of %j: %j is not", (property, answer) => {
    expect(fieldOf(property).check(answer).type).toBe("invalid");
  });
});

test.each([
  ["no object", "text"],
  ["a field that is an object", { type: "object", properties: { a: { type: "object" } } }],
  ["a choice without choices", { type: "object", properties: { a: { type: "string", enum: [] } } }],
  [
    "more than 20 fields",
    { type: "object", properties: Object.fromEntries(Array.from({ length: 21 }, (_, i) => [`f${i}`, { type: "string" }])) },
  ],
  ["a secret by its name", { type: "object", properties: { access_token: { type: "string" } } }],
  ["a secret by its title", { type: "object", properties: { a: { type: "string", title: "Your password" } } }],
])("a form with %s is refused", (_, schema) => {
  expect(parseForm(schema).type).toBe("refused");
});
