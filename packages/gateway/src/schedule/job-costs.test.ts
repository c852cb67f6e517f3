import { writeFile } from "node:fs/promises";
import path from "node:path";
import type { JobSpec } from "@factotum/agent-contract";
import type { FactotumConfig } from "@factotum/config";
import type { OccurrenceRecord } from "@factotum/store";
import { createGate, textReply } from "@factotum/testing-providers";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { TestGateway } from "../../test/gateway-harness.ts";
import { addJob, hasOutcome, JobScene } from "../../test/job-scene.ts";
import { createHeldCommands } from "../../test/held-commands.ts";
import type { TestRunner } from "../../test/complete-runner.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const START_MS = Date.UTC(2026, 2, 2, 9, 0, 30);
const TASK: Pick<JobSpec, "payload"> = { payload: { type: "agentTurn", message: "Look at it." } };
const HOURLY: JobSpec["schedule"] = { type: "every", every: "1h", anchor: "2026-03-02T09:00:00Z" };

let scene: JobScene;
beforeEach(async () => {
  scene = await JobScene.create(START_MS);
});
afterEach(() => scene[Symbol.asyncDispose]());

async function start(
  changes: Partial<FactotumConfig> = {},
  { every, runner, home }: { every?: string; runner?: TestRunner; home?: string } = {},
): Promise<TestGateway> {
  const heartbeat =
    every === undefined ? ("off" as const) : { every, target: "owner", lightContext: false, isolatedSession: false, ackMaxChars: 300 };
  return scene.start({
    agent: { heartbeat },
    ...(runner === undefined ? {} : { hostCommands: runner }),
    ...(home === undefined ? {} : { home }),
    patch: (config) => ({ ...config, ...changes }),
  });
}

const range = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index);

/** The rows of some jobs once `count` of them have an outcome. */
async function settled({ store }: TestGateway, ids: readonly string[], count: number): Promise<readonly OccurrenceRecord[]> {
  let rows: readonly OccurrenceRecord[] = [];
  const read = async (): Promise<number> => {
    rows = (await Promise.all(ids.map(async (id) => store.listOccurrences(id, { limit: 500 })))).flat();
    return rows.filter(hasOutcome).length;
  };
  await expect.poll(read, { interval: 5 }).toBe(count);
  return rows;
}

/** Notices in the owner's conversation that match. */
async function notices({ store }: TestGateway, pattern: RegExp): Promise<number> {
  const session = await store.readSession("agent:main:main");
  const { items } = await store.readTranscript(session?.sessionId ?? "", { limit: 500 });
  return items.filter((entry) => entry.type === "notice" && pattern.test(entry.text)).length;
}

test("two idle days with a heartbeat of 30 minutes and 20 gated jobs make no model call", async () => {
  const checked: string[] = [];
  const runner: TestRunner = {
    run: async ({ command }) => {
      checked.push(command.type === "argv" ? command.file : command.text);
      return { end: { type: "exited", exitCode: 1 }, output: "nothing new", outputBytes: 11, durationMs: 1 };
    },
  };
  await writeFile(path.join(scene.workspace, "HEARTBEAT.md"), "# Tasks\n");
  await using running = await start({}, { every: "30m", runner });
  const ids: string[] = ["heartbeat:main"];
  const schedule: JobSpec["schedule"] = { type: "every", every: "6h" };
  for (const index of range(20))
    ids.push(await addJob(running, { ...TASK, name: `job ${index}`, schedule, check: { type: "argv", argv: ["/bin/check"] } }));
  for (const beat of range(96)) {
    scene.clock.pass(30 * MINUTE_MS);
    await settled(running, ids.slice(0, 1), beat + 1);
    if ((beat + 1) % 12 === 0) await settled(running, ids.slice(1), 20 * ((beat + 1) / 12));
  }
  const rows = await settled(running, ids, 96 + 160);
  expect(new Set(rows.map(({ state, reason }) => `${state} ${reason ?? ""}`))).toEqual(
    new Set(["skipped nothing-to-do", "skipped gate: exit code 1"]),
  );
  expect([scene.server.requests.length, scene.platform.sent.length, checked.length]).toEqual([0, 0, 160]);
  expect(await running.store.readSpend("2026-03-03", "main")).toEqual([]);
});

async function greet(): Promise<void> {
  scene.server.respond(() => textReply("Hello."));
  await scene.platform.say(scene.platform.message("Hello"));
  await scene.platform.waitForSends(1);
}

test.each([1, 5])(
  "a provider that answers 401 for a day is asked three times for %i jobs and a heartbeat at once, and the owner is notified once; they resume when a message is answered",
  async (jobs) => {
    await writeFile(path.join(scene.workspace, "HEARTBEAT.md"), "- Look at the oven.\n");
    await using running = await start({}, { every: "1h" });
    await greet();
    scene.server.respond(() => ({ type: "error", errorType: "authentication_error", message: "no" }));
    const ids = ["heartbeat:main"];
    for (const index of range(jobs)) ids.push(await addJob(running, { ...TASK, name: `job ${index}`, schedule: HOURLY }));
    for (const hour of range(24)) {
      scene.clock.pass(HOUR_MS);
      await settled(running, ids, ids.length * (hour + 1));
    }
    expect(scene.server.requests).toHaveLength(1 + 3);
    await running.gateway.engine.idle();
    expect(await notices(running, /runs .*pause/)).toBe(1);
    scene.server.respond(() => textReply("Hello again."));
    await scene.platform.say(scene.platform.message("Hello"));
    await expect.poll(() => scene.texts.at(-1)).toBe("Hello again.");
    scene.clock.pass(HOUR_MS);
    await settled(running, ids, ids.length * 25);
    expect(scene.server.requests).toHaveLength(4 + 1 + ids.length);
  },
);

test("a cap that is reached is reported once, in the owner's chat too and over a restart, and messages are still answered", async () => {
  const spend = { unattended: { tokensPerDay: 1, usdPerDay: 1 }, perCause: {}, perAgent: {} };
  const running = await start({ spend });
  await greet();
  const id = await addJob(running, { ...TASK, name: "job", schedule: HOURLY, delivery: { type: "none" } });
  for (const hour of range(6)) {
    scene.clock.pass(HOUR_MS);
    await settled(running, [id], hour + 1);
  }
  const rows = await settled(running, [id], 6);
  expect(rows.map(({ state }) => state)).toEqual([...range(5).map(() => "skipped"), "done"]);
  await scene.platform.say(scene.platform.message("Hello"));
  await running.gateway.engine.idle();
  expect(scene.server.requests).toHaveLength(3);
  expect(await notices(running, /is used up for today/)).toBe(1);
  expect(scene.texts.filter((text) => text === "Hello.")).toHaveLength(2);
  const told = (): number => scene.texts.filter((text) => text.startsWith("spend.unattended is used up for today")).length;
  expect(told()).toBe(1);
  await running.stop();
  await using again = await start({ spend }, { home: running.home });
  scene.clock.pass(HOUR_MS);
  await settled(again, [id], 7);
  await again.gateway.engine.idle();
  expect(await notices(again, /is used up for today/)).toBe(1);
  expect(told()).toBe(1);
});

test("a person's turn is not delayed by 100 stalled runs, and no more than eight programs of jobs run at once", async () => {
  const gate = createGate();
  const commands = createHeldCommands();
  scene.server.respond(({ body }) =>
    JSON.stringify(body).includes("Look at it.")
      ? { type: "message", content: [{ type: "text", text: "Seen." }], fault: { type: "stall", afterBytes: 40, until: gate } }
      : textReply("Hello."),
  );
  await using running = await start({}, { runner: commands });
  for (const index of range(100)) await addJob(running, { ...TASK, name: `job ${index}`, schedule: HOURLY, delivery: { type: "none" } });
  const programs: string[] = [];
  for (const index of range(20))
    programs.push(
      await addJob(running, {
        name: `program ${index}`,
        schedule: HOURLY,
        payload: { type: "command", argv: ["/bin/x"] },
        delivery: { type: "none" },
      }),
    );
  scene.clock.pass(HOUR_MS);
  await expect.poll(() => commands.commands.length, { timeout: 20_000 }).toBe(8);
  await expect.poll(() => scene.server.requests.length).toBeGreaterThan(0);
  const stalled = scene.server.requests.length;
  await scene.platform.say(scene.platform.message("Hello"));
  await scene.platform.waitForSends(1);
  expect(scene.texts).toEqual(["Hello."]);
  expect(scene.server.requests).toHaveLength(stalled + 1);
  for (const index of range(20)) {
    await expect.poll(() => commands.commands.length).toBeGreaterThan(index);
    commands.commands[index]?.end("x");
  }
  await settled(running, programs, 20);
  gate.open();
}, 60_000);
