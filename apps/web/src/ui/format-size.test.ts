import { expect, test } from "vitest";
import { formatSize } from "./format-size.ts";

test.each([
  [0, "0 B"],
  [999, "999 B"],
  [1000, "1 kB"],
  [12_340, "12.3 kB"],
  [999_949, "999.9 kB"],
  [999_950, "1 MB"],
  [20_000_000, "20 MB"],
])("%i bytes are %s", (bytes, text) => {
  expect(formatSize(bytes)).toBe(text);
});
