import { expect, test } from "vitest";
import { whyNoPrograms } from "./compose-plugins.ts";

test.each([
  [{ isSandboxed: true, userId: 1000 }, undefined],
  [{ isSandboxed: true, userId: undefined }, undefined],
  [{ isSandboxed: true, userId: 0 }, "the gateway runs as root, whose processes the kernel does not limit"],
  [{ isSandboxed: false, userId: 1000 }, "bubblewrap does not work here"],
])("programs of plugins for %j: %s", (facts, reason) => {
  expect(whyNoPrograms(facts)).toBe(reason);
});
