import { expect, test } from "vitest";
import { restartKeys } from "./index.ts";

test.each([
  ["the port alone", [{ type: "changed", path: "gateway.port", before: 1, after: 2 }], ["gateway.port"]],
  ["a new group with a port", [{ type: "added", path: "gateway", after: { port: 1, auth: {} } }], ["gateway.port"]],
  ["a group that is removed", [{ type: "removed", path: "gateway", before: { bind: "lan" } }], ["gateway.bind"]],
  ["a new group without it", [{ type: "added", path: "gateway", after: { auth: { mode: "token" } } }], []],
  ["other keys", [{ type: "changed", path: "gateway.auth.mode", before: "none", after: "token" }], []],
] as const)("a restart is needed for what a change of the address has: %s", (_, changes, keys) => {
  expect(restartKeys(changes)).toEqual(keys);
});
