import type { JobSpec } from "@factotum/agent-contract";
import type { JobRecord } from "@factotum/store";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { TestGateway } from "../../test/gateway-harness.ts";
import { createHeldCommands, type HeldCommands } from "../../test/held-commands.ts";
import { addJob, hasOutcome, JobScene, OWNER_CHAT, shownOutcome } from "../../test/job-scene.ts";
import { afterRun } from "./job-outcome.ts";

const MINUTE_MS = 60_000;
const START_MS = Date.UTC(2026, 2, 2, 8, 50);
const ONCE: JobSpec = {
  name: "once",
  schedule: { type: "at", at: "2026-03-02T09:00:00Z" },
  payload: { type: "command", argv: ["/bin/build"] },
};

let scene: JobScene;
let commands: HeldCommands;
beforeEach(async () => {
  scene = await JobScene.create(START_MS);
  commands = createHeldCommands();
});
afterEach(() => scene[Symbol.asyncDispose]());

/** The outcomes of a job, oldest first, once there are as many. */
async function outcomes({ store }: TestGateway, id: string, count: number): Promise<readonly string[]> {
  const read = async (): Promise<readonly string[]> =>
    (await store.listOccurrences(id, { limit: 50 })).toReversed().filter(hasOutcome).map(shownOutcome);
  await expect.poll(read, { interval: 5 }).toHaveLength(count);
  return read();
}

const begun = async (count: number): Promise<void> => expect.poll(() => commands.commands.length, { interval: 5 }).toBe(count);

test("a job that runs once stays after a run by hand and after one that failed", async () => {
  await using running = await scene.start({ hostCommands: commands });
  const id = await addJob(running, ONCE);
  const { jobs } = running.gateway.engine.schedule;
  const job = jobs.find(id);
  if (job === undefined) throw new Error("the job is gone");
  expect(await jobs.run(job)).toMatchObject({ type: "done" });
  await begun(1);
  commands.commands[0]?.end("built");
  expect(await outcomes(running, id, 1)).toEqual(["done"]);
  expect(jobs.find(id)?.nextSlotMs).toBe(Date.UTC(2026, 2, 2, 9));
  scene.clock.pass(10 * MINUTE_MS);
  await begun(2);
  commands.commands[1]?.end("", { type: "exited", exitCode: 1 });
  expect(await outcomes(running, id, 2)).toEqual(["done", "failed exit code 1"]);
  await running.gateway.engine.idle();
  expect(jobs.find(id)).toMatchObject({ failures: 1 });
});

test("a program that a restart interrupted has failed, and is not run again", async () => {
  const first = await scene.start({ hostCommands: commands });
  const id = await addJob(first, ONCE);
  scene.clock.pass(10 * MINUTE_MS);
  await begun(1);
  await first.stop();
  await using running = await scene.start({ home: first.home, hostCommands: commands });
  expect(await outcomes(running, id, 1)).toEqual(["failed it was interrupted by a restart of the gateway, and may have taken effect"]);
  expect(commands.commands).toHaveLength(1);
});

test("a job of the gateway's own counts its failures, and is neither disabled nor reported: the spend guard pauses it", () => {
  let job: JobRecord = {
    id: "heartbeat:main",
    agentId: "main",
    system: "heartbeat",
    spec: { name: "heartbeat", schedule: { type: "every", every: "30m" }, payload: { type: "agentTurn", message: "x" } },
    authority: OWNER_CHAT,
    createdAtMs: 0,
    scheduledAtMs: 0,
    nextSlotMs: START_MS,
    failures: 0,
  };
  for (let count = 1; count <= 12; count += 1) {
    const outcome = afterRun(job, { state: "failed", reason: "no" }, START_MS);
    expect(outcome).toEqual({ job: { ...job, failures: count }, alerts: false });
    job = outcome.job;
  }
});
