import { expect, test } from "vitest";
import { isSafeSqlite } from "./sqlite-version.ts";

test.each(["3.51.3", "3.51.10", "3.52.0", "3.53.4", "4.0.0", "3.50.7", "3.50.12", "3.44.6"])("%s may be used", (version) => {
  expect(isSafeSqlite(version)).toBe(true);
});

test.each(["3.51.2", "3.51.0", "3.50.6", "3.49.9", "3.45.3", "3.44.5", "3.43.9", "2.8.17", "", "no version"])(
  "%s is refused",
  (version) => {
    expect(isSafeSqlite(version)).toBe(false);
  },
);
