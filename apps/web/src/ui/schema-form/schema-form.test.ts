import * as fc from "fast-check";
import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { drawnKeys, fullValues, keysOf } from "../../../test/full-values.ts";
import { startOf } from "./empty-of.ts";
import type { FormProblem } from "./form-facts.ts";
import { applyMergePatch, mergePatchOf } from "./merge-patch.ts";
import { SchemaForm } from "./schema-form.tsx";
import type { SchemaNode } from "./schema-node.ts";
import { findRows, schemaRows } from "./schema-rows.ts";
import { translateSchema } from "./translate-schema.ts";
import { formIndexOf } from "./union-control.tsx";
import { unitOf } from "./unit-of.ts";

const MARK = "__hidden__";

function draw(schema: SchemaNode, value: unknown, problems: readonly FormProblem[] = [], opensEverything = true): string {
  const props = { schema, path: [], value, onChange: () => undefined, problems, mark: MARK, opensEverything };
  return renderToStaticMarkup(createElement(SchemaForm, props));
}

const secret: SchemaNode = {
  "x-secret": true,
  anyOf: [
    { type: "string" },
    { type: "object", properties: { env: { type: "string" } }, required: ["env"] },
    { type: "object", properties: { file: { type: "string" } }, required: ["file"] },
    { type: "object", properties: { exec: { type: "array", items: { type: "string" } } }, required: ["exec"] },
  ],
};
const object = (properties: Readonly<Record<string, SchemaNode>>, required: readonly string[] = []): SchemaNode => ({
  type: "object",
  properties,
  required,
  additionalProperties: false,
});
const mapOf = (entry: SchemaNode): SchemaNode => ({ type: "object", additionalProperties: entry });

const leaf = fc.constantFrom<SchemaNode>(
  { type: "string" },
  { type: "integer" },
  { type: "boolean" },
  { type: "string", enum: ["a", "b"] },
  { type: "array", items: { type: "string" } },
  { type: "array", items: { type: "string", enum: ["a", "b"] } },
  { anyOf: [{ const: 0 }, { type: "number" }] },
  { anyOf: [{ type: "boolean" }, { const: "mentions" }] },
  { anyOf: [{ enum: ["lan"] }, { type: "string" }] },
  { anyOf: [{ type: "string" }, { type: "array", items: { type: "string" } }] },
  {},
  secret,
);
const { node: schemas } = fc.letrec<{ node: SchemaNode; inner: SchemaNode }>((tie) => ({
  node: fc
    .uniqueArray(fc.tuple(fc.constantFrom("one", "two", "three", "four"), tie("inner")), { minLength: 1, selector: ([key]) => key })
    .map((entries) => object(Object.fromEntries(entries))),
  inner: fc.oneof(
    { maxDepth: 2, depthIdentifier: "schema" },
    leaf,
    tie("node"),
    tie("node").map((items): SchemaNode => ({ type: "array", items })),
    tie("inner").map(mapOf),
    tie("node").map((form): SchemaNode => ({ anyOf: [{ const: "off" }, form] })),
    fc.tuple(tie("node"), tie("node")).map((forms): SchemaNode => {
      const marked = forms.map((form, index) => object({ type: { type: "string", const: `form${index}` }, ...form.properties }, ["type"]));
      return { oneOf: marked };
    }),
    tie("node").map((form): SchemaNode => ({ ...form, additionalProperties: { type: "array", items: { type: "string" } } })),
  ),
}));

test("every key of a schema has a control, and the search finds it", () => {
  fc.assert(
    fc.property(schemas, (schema) => {
      const drawn = new Set(fullValues(schema).flatMap((value) => [...drawnKeys(draw(schema, value))]));
      expect(keysOf(schema).filter((key) => !drawn.has(key))).toEqual([]);
      expect(
        schemaRows(schema)
          .map(({ key }) => key)
          .toSorted(),
      ).toEqual(keysOf(schema).toSorted());
    }),
    { numRuns: 40 },
  );
});

const documents = fc.dictionary(
  fc.constantFrom("a", "b", "c"),
  fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      fc.integer(),
      fc.array(fc.constantFrom("x", "y"), { maxLength: 2 }),
      fc.dictionary(fc.constantFrom("a", "b", "__proto__"), tie("value")),
    ),
  })).value,
);

test("a merge patch makes the one document of the other, and is empty for the same", () => {
  fc.assert(
    fc.property(documents, documents, (before, after) => {
      expect(mergePatchOf(before, structuredClone(before))).toEqual({});
      const patch = mergePatchOf(before, after);
      // Where the one has an empty object and the other nothing, the patch has it, too.
      expect(applyMergePatch(before, patch)).toEqual(applyMergePatch({}, after));
    }),
  );
});

test("a merge patch has what has changed, and nothing else", () => {
  const before = { gateway: { port: 1, auth: { token: MARK } }, tools: { allow: ["a", "b"] } };
  const after = { gateway: { auth: { token: MARK } }, tools: { allow: ["b"] }, cron: { enabled: false } };
  expect(mergePatchOf(before, after)).toEqual({ gateway: { port: null }, tools: { allow: ["b"] }, cron: { enabled: false } });
});

test("a hidden secret is shown as stored, and its text is neither shown nor written back", () => {
  const schema = object({ token: { title: "Token", ...secret } });
  const html = draw(schema, { token: MARK });
  expect(html).toContain("Stored");
  expect(html).toMatch(/<input[^>]*type="password"[^>]*value=""/);
  expect(html).not.toContain(MARK);
  expect(draw(schema, { token: { env: "TOKEN" } })).toMatch(/<input[^>]*type="text"[^>]*value="TOKEN"/);
});

test("a key shows its default, its unit, its notes, and what is wrong with it", () => {
  const schema = object({
    timeoutSeconds: { title: "Timeout", type: "integer", default: 30, description: "Until it ends; see `retry`.", "x-restart": true },
    later: { title: "Later", type: "boolean", default: true, "x-inactive": true },
  });
  const html = draw(schema, {}, [{ path: "timeoutSeconds", message: "a number from 1 is expected" }]);
  for (const shown of [
    'placeholder="30"',
    "<span>seconds</span>",
    "see <code>retry</code>.",
    "After a restart",
    "Without effect in this version",
    "a number from 1 is expected",
    'aria-invalid="true"',
    'checked=""',
  ])
    expect(html).toContain(shown);
  expect(html).not.toContain("Reset");
  expect(draw(schema, { timeoutSeconds: 5 })).toMatch(/value="5"[^]*Reset|Reset[^]*value="5"/);
});

test("a key that is called as a property of every object has no unit", () => {
  expect(unitOf("timeoutSeconds")).toBe("seconds");
  expect(unitOf("constructor")).toBeUndefined();
});

test("a whole document that may have no keys says so, and one without a name is not called undefined", () => {
  for (const schema of [object({}), { type: "object" }]) expect(draw(schema, {})).toContain("There is nothing to set.");
  const open = { ...object({ one: { type: "string" } }), additionalProperties: { type: "string" } };
  for (const schema of [object({}), {}, mapOf({ type: "string" }), open]) expect(draw(schema, {})).not.toContain("undefined");
});

test("a closed group is not drawn, one with a problem is open", () => {
  const schema = object({ auth: object({ mode: { type: "string" } }) });
  expect(draw(schema, {}, [], false)).not.toContain("auth.mode");
  expect(draw(schema, {}, [{ path: "auth.mode", message: "unknown" }], false)).toContain("unknown");
});

test("the form of a value is the one that knows its keys", () => {
  const forms = [object({ command: {}, args: {} }), object({ url: {}, headers: {} })];
  expect(formIndexOf(forms, { url: "x", headers: {} }, undefined)).toBe(1);
  expect(formIndexOf(forms, {}, 1)).toBe(1);
  expect(formIndexOf([{ type: "string" }, ...forms], "x", undefined)).toBe(0);
  expect(formIndexOf(forms, 5, undefined)).toBeUndefined();
});

test.each([
  ["yes or no", { type: "boolean" }, undefined, false],
  ["yes or no that holds already", { type: "boolean" }, true, true],
  ["yes or no with a default", { type: "boolean", default: true }, undefined, true],
  ["a choice", { enum: ["a", "b"] }, undefined, "a"],
  ["a group", object({ ca: { type: "string" } }), undefined, {}],
  ["a text", { type: "string" }, "kept", undefined],
  ["a number", { type: "integer" }, undefined, undefined],
])("choosing the form of a value writes what its control shows: %s", (_name, form: SchemaNode, inherited, written) => {
  expect(startOf(form, inherited)).toEqual(written);
});

test("the search finds keys by words of their name and description", () => {
  const schema = object({ gateway: object({ port: { type: "integer", title: "Port", description: "Where clients connect." } }) });
  expect(findRows(schemaRows(schema), "PORT connect").map(({ key }) => key)).toEqual(["gateway.port"]);
  expect(findRows(schemaRows(schema), " ")).toEqual([]);
});

test("a translated schema has other words at every depth, and no other keys, defaults or choices", () => {
  const schema: SchemaNode = {
    title: "Settings",
    ...object({
      title: { type: "string", title: "Title", default: "Title", enum: ["Title"] },
      constructor: { title: "constructor", anyOf: [{ const: "Title" }, mapOf({ type: "array", items: { description: "Title" } })] },
    }),
  };
  const words = (text: string): string => JSON.stringify(translateSchema(schema, { Title: text, Settings: "设置" }));
  expect(words("Title")).toBe(JSON.stringify(schema).replace("Settings", "设置"));
  expect(words("标题").split("标题")).toHaveLength(3);
});
