import fc from "fast-check";
import { expect, test } from "vitest";
import { parseText } from "./parse-text.ts";

test.each([
  ["{a: 1, a: 2}", "a", [1, 1]],
  ["{a: 1,\n'a': 2}", "a", [1, 2]],
  ['// a: 1\r\n{b: {\r\n"a": [], /* a: 1\n */ c: 1, a: {}}}', "a", [3, 4]],
  ["{a: [{b: 1}, {b: 1, c: 2,\nc: 3}]}", "c", [1, 2]],
  ["{\\u0061: 1, a: 2}", "a", [1, 1]],
  ['{"a:b\\"": "{", "x": "}", \'a:b"\': 0}', 'a:b"', [1, 1]],
  ["{__proto__: {}, __proto__: {}}", "__proto__", [1, 1]],
])("%s: a duplicate key is a syntax error with its lines", async (text, key, [first, line]) => {
  expect(await parseText(text, "json5")).toEqual({
    type: "syntax",
    message: `"${key}" stands twice in one object, in lines ${first} and ${line}; make one of the two`,
    position: expect.objectContaining({ line }) as object,
  });
});

test("does not mistake equal keys of different objects, brackets in texts, or comments for duplicates", async () => {
  await fc.assert(
    fc.asyncProperty(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 4 })), async (object) => {
      const text = `/* {a: 1, a: 1} */ ${JSON.stringify({ a: object, b: object }, null, 2)} // "a": 1`;
      expect(await parseText(text, "json5")).toMatchObject({ type: "document" });
    }),
  );
});

test("reads values that only JSON5 has", async () => {
  const text = `\uFEFF{a: +.5, b: -Infinity, c: 0x1F, 'd': "x\\\n}y", e: [NaN, /*:*/ null,],}`;
  expect(await parseText(text, "json5")).toMatchObject({ type: "document", document: { a: 0.5, c: 31, d: "x}y" } });
});

test.each([
  ["x: &a {mode: deny, n: 1}\ny: {<<: *a}", { mode: "deny", n: 1 }],
  ["x: &a {mode: deny}\ny:\n  <<: *a\n  mode: full", { mode: "full" }],
  ["x: &a {mode: deny}\nz: &b {mode: ask, n: 1}\ny: {<<: [*a, *b]}", { mode: "deny", n: 1 }],
])("%s: merge keys of YAML are read", async (text, y) => {
  expect(await parseText(text, "yaml")).toMatchObject({ type: "document", document: { y } });
});

test("reports a YAML merge key without an object as a syntax error", async () => {
  expect(await parseText("x: &a [deny]\ny: {<<: *a}", "yaml")).toMatchObject({ type: "syntax" });
});

test.each([
  ["{ a: {}\n b: 1 }", "a comma is missing before this", 2],
  ["{ a: []\n b: 1 }", "a comma is missing before this", 2],
  ["{ a: 1,\n b 2 }", "a colon is missing between this and the key before it", 2],
  ['{ a: "x }', "this text has no closing quote", 1],
  ["{ a: [1, 2\n}", "] is expected first, to close the [ of line 1", 2],
  ["{ a: [x y] }", "a text needs quotes here, before and behind it", 1],
  ["{ : 1 }", "there is no key before this colon", 1],
])("%j: says what is missing, and where", async (text, message, line) => {
  expect(await parseText(text, "json5")).toMatchObject({ type: "syntax", message, position: { line } });
});

test("describes every syntax error of JSON5 and YAML itself, with a position in the text", async () => {
  const piece = fc.constantFrom("{", "}", "[", "]", ":", ",", "a", '"', "'", "\n", " ", "1", "-", "#", "/", "*", "=", "|", "&", "\\");
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 12 }), fc.constantFrom("json5", "yaml"), async (pieces, format) => {
      const text = pieces.join("");
      const parsed = await parseText(text, format);
      if (parsed.type === "document") return;
      expect(parsed.message).not.toMatch(/JSON5: |Unexpected|invalid|undefined/);
      expect(parsed.position?.line ?? 1).toBeLessThanOrEqual(text.split("\n").length);
    }),
    { examples: [[["a", ":", "\n", "{"], "json5"]] },
  );
});

test("shows the first of many missing brackets", async () => {
  const { message } = (await parseText(`{a: ${"[".repeat(20_000)}`, "json5")) as { readonly message: string };
  expect(message).toBe("the file ends too early: ] ] ] ] ] ] ] ] … are missing; the [ of line 1 is never closed");
});

test.each([
  ["json5", 3000],
  ["json5", 100_000],
  ["yaml", 300],
] as const)("%s: a document that is nested %i deep is refused", async (format, levels) => {
  const text = `{a: ${"[".repeat(levels)}${"]".repeat(levels)}}`;
  expect(await parseText(text, format)).toMatchObject({
    type: "syntax",
    message: expect.stringContaining("more than 200 times") as string,
  });
});
