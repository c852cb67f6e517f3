import fc from "fast-check";
import { expect, test } from "vitest";
import { requiredText } from "./required-text.ts";

const of = (pattern: string, how: { readonly literal?: boolean; readonly ignoreCase?: boolean } = {}): string | undefined =>
  requiredText(pattern, { literal: false, ignoreCase: false, ...how });

test.each([
  ["createGrepTool", "createGrepTool"],
  ["^const \\w+ = needle;$", " = needle;"],
  ["a\\.b\\(c", "a.b(c"],
  ["colou?r", "colo"],
  ["abc+d", "abc"],
  ["abx*cd", "ab"],
  ["ab{2}cdef", "cdef"],
  ["(maybe)?always", "always"],
  ["[abc]def", "def"],
  ["(?<=x[)])yz", "yz"],
  ["日本語", "日本語"],
])("%s needs %j", (pattern, text) => {
  expect(of(pattern)).toBe(text);
});

test.each(["a", "a|b", "foo|bar", "\\w+", ".*", "(ab)", "\\u0041bc", "(ab)\\1cd", "\\x41bc", "a😀?", "a\uFFFDb", "(ab", "[ab"])(
  "nothing is certain of %s",
  (pattern) => {
    expect(of(pattern)).toBeUndefined();
  },
);

test("with ignoreCase it is ASCII, and a literal is taken whole", () => {
  expect(of("straße", { ignoreCase: true })).toBeUndefined();
  expect(of("Needle", { ignoreCase: true })).toBe("Needle");
  expect(of("a|b.*", { literal: true })).toBe("a|b.*");
  expect(of("a\nb", { literal: true })).toBeUndefined();
});

test("every text that a pattern matches contains it", () => {
  const pattern = fc.string({ unit: fc.constantFrom(..."abAB1. -^$*+?()[]{}|\\,dwbs".split("")), minLength: 1, maxLength: 9 });
  const text = fc.string({ unit: fc.constantFrom(..."abAB1. -,".split("")), maxLength: 9 });
  fc.assert(
    fc.property(pattern, text, fc.boolean(), (source, line, ignoreCase) => {
      let regExp: RegExp;
      try {
        regExp = new RegExp(source, ignoreCase ? "i" : "");
      } catch (error) {
        if (error instanceof SyntaxError) return;
        throw error;
      }
      const needed = requiredText(source, { literal: false, ignoreCase });
      if (needed === undefined || !regExp.test(line)) return;
      const fold = (value: string): string => (ignoreCase ? value.toLowerCase() : value);
      expect(fold(line)).toContain(fold(needed));
    }),
    { numRuns: 50_000 },
  );
});
