import type { Clock } from "@factotum/agent-contract";
import { expect, test } from "vitest";
import { DocumentDiagnostics } from "./document-diagnostics.ts";

function clockAt(): Clock & { nowMs: number } {
  const clock = { nowMs: 0, now: () => clock.nowMs, monotonic: () => clock.nowMs, schedule: () => ({ [Symbol.dispose]: () => undefined }) };
  return clock;
}

test("a push for an earlier version does not count, and one for the current version is known after a pause", () => {
  const clock = clockAt();
  const diagnostics = new DocumentDiagnostics(clock, 1);
  diagnostics.changed(2);
  expect(diagnostics.push(1, [])).toBe(false);
  expect(diagnostics.state).toEqual({ type: "waiting" });
  expect(diagnostics.push(2, [])).toBe(true);
  expect(diagnostics.state).toEqual({ type: "waiting", atMostMs: 150 });
  clock.nowMs = 150;
  expect(diagnostics.state).toEqual({ type: "known", items: [] });
  diagnostics.changed(3);
  expect(diagnostics.state).toEqual({ type: "waiting" });
});

test("a push without a version counts if none of an earlier version can be outstanding", () => {
  const clock = clockAt();
  const diagnostics = new DocumentDiagnostics(clock, 1);
  expect(diagnostics.push(undefined, [])).toBe(true);
  diagnostics.changed(2);
  diagnostics.changed(3);
  expect(diagnostics.push(undefined, [])).toBe(false);
  clock.nowMs = 2_000;
  expect(diagnostics.push(undefined, [])).toBe(true);
  diagnostics.changed(4);
  expect(diagnostics.push(undefined, [])).toBe(true);
});
