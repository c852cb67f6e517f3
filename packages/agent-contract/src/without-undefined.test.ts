import { expect, expectTypeOf, test } from "vitest";
import { withoutUndefined } from "./without-undefined.ts";

const maybe = (text: string): string | undefined => (text === "" ? undefined : text);

test("removes only undefined values, and keeps the order of the keys", () => {
  const kept = withoutUndefined({ b: maybe(""), c: null, a: 0, d: maybe("x"), e: false });
  expect(Object.entries(kept)).toEqual([
    ["c", null],
    ["a", 0],
    ["d", "x"],
    ["e", false],
  ]);
});

test("is assignable to exact optional properties", () => {
  const { a, b } = { a: 1, b: maybe("") };
  expectTypeOf({ ...withoutUndefined({ a, b }) }).toEqualTypeOf<{ a: number; b?: string }>();
  const exact: { readonly a: number; readonly b?: string } = { ...withoutUndefined({ a, b }) };
  expect(exact).toEqual({ a: 1 });
});
