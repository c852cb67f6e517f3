import type { RunKind } from "@factotum/agent-contract";
import type { InputAdmission, InputRecord } from "@factotum/store";
import { expect, test } from "vitest";
import { chargedKind, isHostText, mayAsk } from "./input-traits.ts";

function inputs(...admissions: readonly Partial<InputAdmission>[]): readonly Pick<InputRecord, "admission">[] {
  return admissions.map((admission) => ({ admission: { owner: true, kind: "user", ...admission } }));
}

/** A step of an exchange that a run of this kind has begun. */
function step(cause: RunKind): Partial<InputAdmission> {
  const place = {
    exchangeId: "e1",
    step: "message",
    requesterSession: "a",
    targetSession: "b",
    turn: 1,
    maxTurns: 1,
    path: ["a"],
  } as const;
  return { kind: "a2a", agentToAgent: { ...place, cause } };
}

test("a task and the end of a sub-agent are the gateway's own text; a message of a person or another session is not", () => {
  const completion = { id: "s1", sessionKey: "agent:main:subagent:s1", state: "done" } as const;
  expect([isHostText({ kind: "cron" }), isHostText({ kind: "a2a", completion })]).toEqual([true, true]);
  expect([isHostText({ kind: "user" }), isHostText({ kind: "a2a" })]).toEqual([false, false]);
});

test("a person can be asked unless the run, or the one that originally started it, is unattended", () => {
  expect(mayAsk("user", inputs({}))).toBe(true);
  expect(mayAsk("subagent", inputs({ cause: "user" }, step("user")))).toBe(true);
  expect(mayAsk("cron", inputs({}))).toBe(false);
  expect(mayAsk("subagent", inputs({ cause: "cron" }))).toBe(false);
  expect(mayAsk("a2a", inputs(step("user"), step("heartbeat")))).toBe(false);
});

test("a run is charged to the run that originally started it, of several to one that has caps", () => {
  expect(chargedKind("cron", inputs({}))).toBe("cron");
  expect(chargedKind("subagent", inputs({ cause: "user" }))).toBe("user");
  expect(chargedKind("a2a", inputs(step("user"), step("heartbeat")))).toBe("heartbeat");
  // The end of a command of an exchange has both; the original one counts.
  expect(chargedKind("command", inputs({ ...step("user"), cause: "hook" }))).toBe("hook");
});
