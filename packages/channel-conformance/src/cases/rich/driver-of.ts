import assert from "node:assert/strict";
import type { ConformancePlatform } from "../../platform.ts";

/** Controls that only some platforms have. */
type Control = "press" | "typing" | "moved" | "command" | "commandOrText" | "menu" | "menuSet" | "followLogin" | "keep" | "directory";

/** A control of the platform; fails if it is missing, because then a declared capability is not proved. */
export function driverOf<Name extends Control>(platform: ConformancePlatform, name: Name): NonNullable<ConformancePlatform[Name]> {
  const control = platform[name];
  assert.ok(control, `the platform of the test has no "${name}", which the declared capabilities need`);
  return (typeof control === "function" ? control.bind(platform) : control) as NonNullable<ConformancePlatform[Name]>;
}
