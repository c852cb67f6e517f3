import type { JobSpec } from "@factotum/agent-contract";
import { expect, test } from "vitest";
import { checkSpec } from "./check-spec.ts";

const SPEC: JobSpec = { name: "one", schedule: { type: "at", at: "20m" }, payload: { type: "message", text: "Tea" } };
const PROGRAM = { type: "command", argv: ["date"] } as const;
const TASK = { type: "agentTurn", message: "Look" } as const;
const problemOf = (change: Partial<JobSpec>, isOwner = true): string | undefined =>
  checkSpec({ ...SPEC, ...change }, { nowMs: 0, timezone: "UTC", isOwner });

test.each([
  [{ name: " " }, "needs a name"],
  [{ name: "x".repeat(101) }, "needs a name"],
  [{ schedule: { type: "every", every: "often" } }, "often"],
  [{ catchUp: { mode: "once", maxAge: "often" } }, "often"],
  [{ timeoutSeconds: 0 }, "timeoutSeconds"],
  [{ timeoutSeconds: 86_401 }, "timeoutSeconds"],
  [{ payload: { type: "message", text: " " } }, "The text of a job"],
  [{ payload: { type: "message", text: "x".repeat(16_001) } }, "The text of a job"],
  [{ payload: { type: "systemEvent", text: "x".repeat(1001) } }, "The text of an event"],
  [{ payload: { type: "command", argv: [] } }, "argv needs a program"],
  [{ payload: { type: "command", argv: [""] } }, "argv needs a program"],
  [{ check: { type: "argv", argv: [""] } }, "argv needs a program"],
  [{ payload: { ...PROGRAM, cwd: "here" } }, "cwd is an absolute path"],
  [{ check: { type: "url", url: "file:///etc/passwd" } }, "no http or https address"],
  [{ delivery: { type: "webhook", url: "somewhere" } }, "no http or https address"],
  [{ session: "main" }, "Only a task and an event"],
  [{ session: "main", payload: TASK, model: "a/b" }, "isolated runs"],
  [{ session: "main", payload: TASK, lightContext: true }, "isolated runs"],
  [{ session: { key: "agent:main:x" }, payload: TASK, tools: [] }, "isolated runs"],
] as const satisfies readonly (readonly [Partial<JobSpec>, string])[])("refuses %j, also of the owner", (change, problem) => {
  expect(problemOf(change)).toContain(problem);
});

test.each([
  { payload: { type: "systemEvent", text: "x" } },
  { payload: PROGRAM },
  { check: { type: "argv", argv: ["true"] } },
  { check: { type: "url", url: "https://a.example" } },
  { payload: TASK, session: "main" },
  { delivery: { type: "announce", to: "chat:1" } },
  { delivery: { type: "webhook", url: "https://a.example" } },
  { delivery: { type: "none" } },
] as const satisfies readonly Partial<JobSpec>[])("takes %j of the owner alone", (change) => {
  expect([problemOf(change), problemOf(change, false)]).toEqual([undefined, expect.stringContaining("the owner's")]);
});

test.each([
  [{ type: "every", every: "14m" }, false],
  [{ type: "every", every: "15m" }, true],
  [{ type: "cron", cron: "*/10 * * * *" }, false],
  [{ type: "cron", cron: "0,10 3 * * *" }, false],
  [{ type: "cron", cron: "*/15 * * * *" }, true],
  [{ type: "at", at: "1m" }, true],
] as const)("takes %j of others than the owner: %s", (schedule, isTaken) => {
  expect(problemOf({ schedule })).toBeUndefined();
  expect(problemOf({ schedule }, false)).toEqual(
    isTaken ? undefined : "Only jobs of the owner may have intervals shorter than 15 minutes.",
  );
});

test("lets everyone make texts and turns that report to their own conversation", () => {
  expect([problemOf({}, false), problemOf({ payload: TASK, tools: ["read"], delivery: { type: "announce" } }, false)]).toEqual([
    undefined,
    undefined,
  ]);
});
