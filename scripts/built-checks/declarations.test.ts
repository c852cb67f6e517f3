import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { LAYERS } from "../layers.ts";
import { ROOT } from "../workspace.ts";

const published = LAYERS.slice(0, 2).flatMap((packages) => Object.keys(packages));

test("the contracts and the kits are compared", () => {
  expect(published).toEqual(expect.arrayContaining(["agent-contract", "channel-contract", "protocol", "agent-core", "channel-kit"]));
});

// What others build on: a change of it shows here, and is approved by writing it anew: npm test -- build api --update
test.each(published)("@factotum/%s is what was reviewed", async (name) => {
  const declarations = readFileSync(join(ROOT, "packages", name, "dist/index.d.mts"), "utf8");
  expect(declarations).toMatch(/^export /m);
  await expect(declarations).toMatchFileSnapshot(`__snapshots__/${name}.d.mts`);
});
