import { RPC_METHODS } from "@factotum/protocol";
import { expect, test } from "vitest";
import { changedBy, changedWith, namespaceOf } from "./query-keys.ts";

const namespaces = new Set(Object.keys(RPC_METHODS).map(namespaceOf));

test("a request changes what its namespace has, and what depends on that", () => {
  expect([...changedWith("cron.run")]).toEqual(["cron"]);
  expect([...changedWith("setup.key")]).toEqual(["setup", "models", "status", "config"]);
  for (const name of changedBy("config-change")) expect(changedWith("config.patch")).toContain(name);
});

test("methods of one namespace that do and undo something change the same", () => {
  for (const [one, other] of [
    ["plugins.install", "plugins.remove"],
    ["plugins.enable", "plugins.disable"],
    ["skills.install", "skills.remove"],
    ["agents.add", "agents.remove"],
    ["setup.key", "setup.forgetKey"],
    ["pairing.approve", "pairing.revoke"],
    ["access.allow", "access.remove"],
  ] as const)
    expect([one, changedWith(one)]).toEqual([one, changedWith(other)]);
});

test("nothing is said to change a namespace that no method has", () => {
  for (const method of ["channels.remove", "memory.forget", "config.patch", "plugins.install"] as const)
    expect([...changedWith(method)].filter((name) => !namespaces.has(name))).toEqual([]);
});
