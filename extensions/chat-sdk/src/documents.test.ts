import { readFileSync } from "node:fs";
import { join } from "node:path";
import { CONFORMANCE_REQUIREMENTS } from "@factotum/channel-conformance";
import { expect, test } from "vitest";
import { EXCLUDED } from "../test/excluded.ts";

const README = readFileSync(join(import.meta.dirname, "../README.md"), "utf8");

test("the README lists the excluded cases, and they are at most a fifth of all", () => {
  const listed = README.split("\n").at(-2) ?? "";
  expect([...listed.matchAll(/`([a-z]+:[\w-]+)`/g)].map(([, id = ""]) => id).toSorted()).toEqual(Object.keys(EXCLUDED).toSorted());
  expect(Object.keys(EXCLUDED).length).toBeLessThanOrEqual(CONFORMANCE_REQUIREMENTS.length / 5);
});
