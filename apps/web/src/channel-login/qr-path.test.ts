import { encode } from "uqr";
import { expect, test } from "vitest";
import { qrPath } from "./qr-path.ts";

test("draws every dark module once, with a border of four light ones", () => {
  const drawn = qrPath("pair:12345");
  const { data, size } = encode("pair:12345", { border: 4 });
  const cells = [...(drawn?.path ?? "").matchAll(/M(\d+) (\d+)h1v1h-1z/g)].map(([, x, y]) => [Number(x), Number(y)]);
  expect(drawn?.size).toBe(size);
  expect(cells).toEqual(data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [[x, y]] : []))));
  expect(Math.min(...cells.flat())).toBe(4);
});

test("has no code for a content that is too long", () => {
  expect(qrPath("x".repeat(2953))?.size).toBe(177 + 8);
  expect(qrPath("x".repeat(2954))).toBeUndefined();
});
