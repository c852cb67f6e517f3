import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { LAYERS } from "../layers.ts";
import { ROOT } from "../workspace.ts";

const published = LAYERS.slice(0, 2).flatMap((packages) => Object.keys(packages));

test("the contracts and the kits are compared", () => {
  expect(published).toEqual(expect.arrayContaining(["agent-contract", "channel-contract", "protocol", "agent-core", "channel-kit"]));
});

// The public contract: a change shows up here, and is approved by `npm test -- build api --update`.
test.each(published)("the declarations of @factotum/%s are the reviewed ones", async (name) => {
  const declarations = readFileSync(join(ROOT, "packages", name, "dist/index.d.mts"), "utf8");
  expect(declarations).toMatch(/^export /m);
  await expect(declarations).toMatchFileSnapshot(`__snapshots__/${name}.d.mts`);
});
