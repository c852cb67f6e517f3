import { expect, test } from "vitest";
import { plural } from "./plural.ts";

test("a count of one has a singular unit", () => {
  expect([0, 1, 2].map((count) => plural(count, "minute"))).toEqual(["0 minutes", "1 minute", "2 minutes"]);
});
