import type { AgentToolResult, JobOccurrence, JsonObject, RunFacts } from "@factotum/agent-contract";
import { afterEach, beforeEach, expect, test } from "vitest";
import { fakeJobs, type FakeJobs } from "../../test/fake-jobs.ts";
import { createToolRig, textOf, type ToolRig } from "../../test/tool-rig.ts";
import { createCronTool } from "./cron-tool.ts";

const RUN: JobOccurrence = {
  jobId: "j1",
  slotMs: Date.UTC(2026, 5, 15, 12),
  state: "failed",
  reason: "exit code 1",
  attempt: 2,
  receipt: "delivered",
  text: "oops",
};

let rig: ToolRig;
let jobs: FakeJobs;
beforeEach(async () => {
  rig = await createToolRig();
  jobs = fakeJobs([RUN]);
});
afterEach(() => rig[Symbol.asyncDispose]());

const call = async (
  args: JsonObject,
  options: { readonly run?: Partial<RunFacts>; readonly tainted?: boolean } = {},
): Promise<AgentToolResult> => rig.call(createCronTool({ jobs, searchPath: "/usr/bin:/bin" }), args, options);

test.each([
  [
    { at: "20m", text: "Tea" },
    { schedule: { type: "at", at: "20m" }, payload: { type: "message", text: "Tea" } },
  ],
  [
    { every: "2h", anchor: "2026-06-15T08:00", task: "Look", to: "telegram:1" },
    {
      schedule: { type: "every", every: "2h", anchor: "2026-06-15T08:00" },
      payload: { type: "agentTurn", message: "Look" },
      delivery: { type: "announce", to: "telegram:1" },
    },
  ],
  [
    { cron: "0 8 * * *", timezone: "Asia/Tokyo", exact: true, argv: ["date", "-u"], cwd: "/tmp", silent: true, session: "isolated" },
    {
      schedule: { type: "cron", cron: "0 8 * * *", timezone: "Asia/Tokyo", exact: true },
      payload: { type: "command", argv: ["date", "-u"], cwd: "/tmp" },
      delivery: { type: "none" },
      session: "isolated",
    },
  ],
  [
    {
      cron: "0 8 * * *",
      task: "x",
      checkUrl: "https://a.example",
      webhook: "https://b.example",
      catchUp: "all",
      maxAge: "2h",
      session: "agent:main:x",
    },
    {
      schedule: { type: "cron", cron: "0 8 * * *" },
      payload: { type: "agentTurn", message: "x" },
      check: { type: "url", url: "https://a.example" },
      delivery: { type: "webhook", url: "https://b.example" },
      catchUp: { mode: "all", maxAge: "2h" },
      session: { key: "agent:main:x" },
    },
  ],
  [
    { at: "1h", event: "Look again.", wake: "now" },
    { schedule: { type: "at", at: "1h" }, payload: { type: "systemEvent", text: "Look again.", wake: "now" } },
  ],
  [
    // As models fill what they do not need.
    { at: "20m", text: "Tea", every: "", argv: [], task: "", to: null, silent: false, job: "" },
    { schedule: { type: "at", at: "20m" }, payload: { type: "message", text: "Tea" }, delivery: { type: "announce" } },
  ],
])("makes a job of %j", async (given, spec) => {
  const result = await call({ action: "add", name: "one", ...given }, { run: { timeZone: "Europe/Berlin" } });
  expect(textOf(result)).toMatch(/^Scheduled\. j1 "one": .*; next Mon 2026-06-15 14:30 Europe\/Berlin$/);
  expect(jobs.calls).toEqual([{ what: "add", spec: { name: "one", ...spec }, caller: expect.objectContaining({ tainted: false }) }]);
});

test.each([
  [{ action: "add", at: "20m", text: "x" }, "needs a name"],
  [{ action: "add", name: "a", text: "x" }, "one of at, every and cron"],
  [{ action: "add", name: "a", at: "20m" }, "one of task, text, event and argv"],
  [{ action: "add", name: "a", at: "20m", cron: "0 8 * * *", text: "x" }, "Give one of at, every, cron, not at and cron"],
  [{ action: "add", name: "a", at: "20m", text: "x", task: "y" }, "not task and text"],
  [{ action: "add", name: "a", at: "20m", text: "x", to: "a:1", webhook: "https://b.example" }, "not to and webhook"],
  [{ action: "add", name: "a", at: "20m", text: "x", cwd: "/tmp" }, "cwd belongs to argv"],
  [{ action: "update", job: "a", timezone: "UTC" }, "timezone belongs to a schedule"],
  [{ action: "update", job: "a", anchor: "2026-06-15T08:00" }, "anchor belongs to every"],
  [{ action: "update", job: "a", exact: true }, "exact belongs to cron"],
  [{ action: "update", job: "a", wake: "now" }, "wake belongs to event"],
  [{ action: "update", job: "a", maxAge: "2h" }, "maxAge belongs to catchUp"],
  [{ action: "remove" }, "remove needs job"],
  [{ action: "run", job: "a", text: "x" }, "run takes no text"],
  [{ action: "get", job: "other" }, "There is no job"],
  [{ action: "runs", job: "other" }, "There is no job"],
])("refuses %j, and changes nothing", async (args, reason) => {
  const result = await call(args);
  expect(result).toMatchObject({ isError: true });
  expect(textOf(result)).toContain(reason);
  expect(jobs.calls).toEqual([]);
});

test("shows, changes, starts and removes a job, and says what the gateway refuses", async () => {
  expect(textOf(await call({ action: "list" }))).toBe("There are no jobs.");
  await call({ action: "add", name: "tea", at: "20m", text: "Tea" });
  expect(textOf(await call({ action: "list" }))).toBe('j1 "tea": at 20m; next Mon 2026-06-15 12:30 UTC');
  expect(textOf(await call({ action: "get", job: "tea" }))).toContain('"text": "Tea"');
  expect(textOf(await call({ action: "update", job: "tea", enabled: false }))).toContain("Changed. j1");
  expect(textOf(await call({ action: "run", job: "j1" }))).toContain("Started");
  expect(textOf(await call({ action: "runs", job: "j1" }))).toBe(
    'Mon 2026-06-15 12:00 UTC failed: exit code 1 (delivered, attempt 2)\n  "oops"',
  );
  expect(textOf(await call({ action: "remove", job: "j1" }))).toContain("Removed. j1");
  expect(jobs.calls.map(({ what, spec }) => [what, spec ?? {}]).slice(1)).toEqual([
    ["update tea", { enabled: false }],
    ["run j1", {}],
    ["remove j1", {}],
  ]);
  jobs.refusal = "cron.jobsMayCreateJobs";
  expect(await call({ action: "add", name: "more", at: "20m", text: "x" })).toMatchObject({ isError: true });
});

test("wakes the heartbeat with a text, and passes on why it was not woken", async () => {
  expect(await call({ action: "wake" })).toMatchObject({ isError: true });
  expect(textOf(await call({ action: "wake", event: "The build is done." }))).toBe("there is no heartbeat");
  expect(await call({ action: "wake", event: "x", text: "y" })).toMatchObject({ isError: true });
  jobs.refusal = "not now";
  expect(await call({ action: "wake", event: "x", wake: "next-heartbeat" })).toMatchObject({ isError: true });
  expect(jobs.calls.map(({ what }) => what)).toEqual(["wake now The build is done.", "wake next-heartbeat x"]);
});

test("says who calls, and whether text of others was read", async () => {
  await call({ action: "add", name: "tea", at: "20m", text: "Tea" }, { run: { owner: false }, tainted: true });
  expect(jobs.calls[0]?.caller).toMatchObject({ tainted: true, run: { owner: false } });
});

test("a program is decided on like a command, and its decision holds for the same job alone", async () => {
  const tool = createCronTool({ jobs, searchPath: "/usr/bin:/bin" });
  const effectOf = (args: JsonObject): string | undefined => tool.traitsFor?.({ id: "1", name: "cron", arguments: args }).effect;
  expect(effectOf({ action: "list" })).toBe("read");
  expect(effectOf({ action: "add", name: "a", at: "1m", text: "x", argv: [] })).toBe("schedule");
  expect(effectOf({ action: "add", name: "a", at: "1m", argv: ["date"] })).toBe("execute");
  expect(effectOf({ action: "update", job: "a", checkArgv: ["date"] })).toBe("execute");
  expect(effectOf({ action: "unknown" })).toBe("execute");
  const inspect = async (args: JsonObject): Promise<unknown> => tool.inspect?.({ id: "1", name: "cron", arguments: args }, rig.run);
  const one = await inspect({ action: "add", name: "a", at: "1m", argv: ["date"] });
  expect(one).toMatchObject({ type: "action", text: 'Schedule a job: {"name":"a","at":"1m","argv":["date"]}' });
  expect(one).not.toEqual(await inspect({ action: "add", name: "a", at: "1m", argv: ["date", "-u"] }));
  expect(await inspect({ action: "add", name: "a", argv: ["date"] })).toMatchObject({ type: "invalid" });
  expect(await inspect({ action: "update", job: "a", argv: ["date"] })).toMatchObject({
    binding: { action: "update", job: "a", fields: '{"argv":["date"]}', workspace: rig.run.workspace },
  });
  // It is bound to what the programs are now: the program itself, and the script that an interpreter is given.
  await rig.put("workspace/check.sh", "exit 0");
  const checked = { action: "update", job: "a", checkArgv: ["sh", "check.sh"] };
  const before = await inspect(checked);
  await rig.put("workspace/check.sh", "exit 1");
  expect(await inspect(checked)).not.toEqual(before);
  await call(checked);
  expect(jobs.calls.at(-1)?.caller.binding).toMatchObject({ action: "update", job: "a" });
  await call({ action: "update", job: "a", text: "x" });
  expect(jobs.calls.at(-1)?.caller).not.toHaveProperty("binding");
});
