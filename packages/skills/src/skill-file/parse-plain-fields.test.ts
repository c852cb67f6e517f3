import fc from "fast-check";
import { expect, test } from "vitest";
import { parseFrontmatter } from "./parse-frontmatter.ts";
import { parsePlainFields } from "./parse-plain-fields.ts";

test("reads keys with their texts", () => {
  expect(parsePlainFields("name: send-mail\r\ndescription: Sends it, \u4e2d\u6587 (or not); v1.10. ")).toEqual({
    name: "send-mail",
    description: "Sends it, \u4e2d\u6587 (or not); v1.10.",
  });
});

test.each([
  "",
  "name: 'a'",
  "name: a: b",
  "name: a #b",
  "name: [a]",
  "a: b\n  c",
  "a:\n  b: c",
  "- a",
  "name: 1",
  "Name: a",
  "a: b\n\nc: d",
])("leaves %j to the parser of YAML", (head) => {
  expect(parsePlainFields(head)).toBeUndefined();
});

test("agrees with the parser of YAML wherever it reads", () => {
  const unit = fc.oneof(
    { weight: 40, arbitrary: fc.constantFrom(...Array.from("aZ\u00e9\u4e2d09 ,.;()/'-")) },
    { weight: 1, arbitrary: fc.constantFrom(...Array.from(':#[]"\n&*!|>%@`{}?~=<\u00a0\u0301\u2028')) },
  );
  const text = fc.tuple(fc.constantFrom(...Array.from("aZ\u00e9\u4e2d1-")), fc.string({ unit })).map((parts) => parts.join(""));
  const line = fc.tuple(fc.constantFrom("name", "a-b", "null", "true", "<<"), text).map(([key, value]) => `${key}: ${value}`);
  fc.assert(
    fc.property(fc.array(line, { minLength: 1, maxLength: 3 }), (lines) => {
      const head = lines.join("\n");
      const plain = parsePlainFields(head);
      fc.pre(plain !== undefined);
      expect(plain).toEqual(parseFrontmatter(head));
    }),
    { numRuns: 300 },
  );
});
