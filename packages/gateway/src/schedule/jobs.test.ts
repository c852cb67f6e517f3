import type { JobSpec } from "@factotum/agent-contract";
import type { JobAuthority } from "@factotum/store";
import { textReply } from "@factotum/testing-providers";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { TestGateway } from "../../test/gateway-harness.ts";
import { addJob, hasOutcome, JobScene, OWNER_CHAT, shownOutcome } from "../../test/job-scene.ts";

const MINUTE_MS = 60_000;
const START_MS = Date.UTC(2026, 2, 2, 8, 58, 30);

const DAILY: JobSpec = {
  name: "daily",
  schedule: { type: "cron", cron: "0 9 * * *", exact: true },
  payload: { type: "agentTurn", message: "Say what is due." },
};

let scene: JobScene;
beforeEach(async () => {
  scene = await JobScene.create(START_MS);
});
afterEach(() => scene[Symbol.asyncDispose]());

/** The outcomes of a job, newest first, once there are as many as expected that are final. */
async function outcomes({ gateway }: TestGateway, id: string, count: number): Promise<readonly string[]> {
  const { jobs } = gateway.engine.schedule;
  const read = async (): Promise<readonly string[]> => {
    const job = jobs.find(id);
    const runs = job === undefined ? [] : await jobs.runs(job, 500);
    return runs.filter(hasOutcome).map(shownOutcome);
  };
  await expect.poll(read).toHaveLength(count);
  return read();
}

describe("a scheduled job", () => {
  test("runs its turn when it is due, in a session of its own, and its answer goes to the chat in which it was made", async () => {
    scene.server.script([textReply("Good morning."), textReply("Two things are due."), textReply("The ones of the job.")]);
    await using running = await scene.start();
    await scene.platform.say(scene.platform.message("Hello"));
    await scene.platform.waitForSends(1);
    const id = await addJob(running, DAILY);
    scene.clock.pass(MINUTE_MS);
    expect(await running.gateway.engine.schedule.jobs.list()).toMatchObject([{ nextAtMs: Date.UTC(2026, 2, 2, 9) }]);
    scene.clock.pass(MINUTE_MS);
    await scene.platform.waitForSends(2);
    expect(scene.texts).toEqual(["Good morning.", "Two things are due."]);
    expect(await outcomes(running, id, 1)).toEqual(["done"]);
    const task = JSON.stringify(scene.server.requests[1]?.body);
    expect(task).toContain("Say what is due.");
    expect(task).not.toContain("Hello");
    const { sessions } = await running.gateway.engine.sessions.list({ limit: 9 });
    expect(sessions.map(({ displayName }) => displayName)).toContain(DAILY.name);
    // Asked about in the chat, it is known there.
    await scene.platform.say(scene.platform.message("Which two?"));
    await scene.platform.waitForSends(3);
    expect(JSON.stringify(scene.server.requests[2]?.body)).toContain("Two things are due.");
    expect(await running.gateway.engine.schedule.jobs.list()).toMatchObject([
      { nextAtMs: Date.UTC(2026, 2, 3, 9), last: { state: "done", text: "Two things are due." } },
    ]);
  });

  test("whose creator is no longer admitted fails, and is not left running", async () => {
    await using running = await scene.start();
    const authority = { ...OWNER_CHAT, owner: false, sender: { id: "stranger", isBot: false } };
    const change = await running.gateway.engine.schedule.jobs.add(DAILY, { agentId: "main", authority });
    if (change.type === "refused") throw new Error(change.message);
    scene.clock.pass(2 * MINUTE_MS);
    expect(await outcomes(running, change.job.id, 1)).toEqual(["failed its sender is no longer admitted here"]);
  });

  test("of a guest is one of at most 20 in its session, and does not count towards the owner's limit", async () => {
    await using running = await scene.start();
    const authority = { ...OWNER_CHAT, owner: false, sessionKey: "agent:main:test:direct:guest" };
    const of = async (number: number, by: JobAuthority): Promise<string> =>
      (await running.gateway.engine.schedule.jobs.add({ ...DAILY, name: `job ${number}` }, { agentId: "main", authority: by })).type;
    for (let number = 0; number < 20; number += 1) expect(await of(number, authority)).toBe("done");
    expect(await of(20, authority)).toBe("refused");
    expect(await of(20, OWNER_CHAT)).toBe("done");
  });

  test("with tools that do not exist is refused, with the nearest names, and so is a change to them", async () => {
    await using running = await scene.start();
    await expect(addJob(running, { ...DAILY, tools: ["read", "raed", "zzzzzzz"] })).rejects.toThrow(
      'There is no tool "raed" (did you mean read?), "zzzzzzz".',
    );
    const id = await addJob(running, { ...DAILY, tools: ["read", "web_fetch"] });
    const { jobs } = running.gateway.engine.schedule;
    const job = jobs.find(id);
    if (job === undefined) throw new Error("the job is gone");
    expect(await jobs.update(job, { tools: ["group:fs"] }, { owner: true })).toMatchObject({ type: "refused" });
  });

  test("without a model sends its text, once", async () => {
    await using running = await scene.start();
    await addJob(running, { name: "water", schedule: { type: "at", at: "20m" }, payload: { type: "message", text: "Drink some water." } });
    scene.clock.pass(20 * MINUTE_MS);
    await scene.platform.waitForSends(1);
    await expect.poll(async () => running.gateway.engine.schedule.jobs.list()).toEqual([]);
    expect(scene.texts).toEqual(["Drink some water."]);
    expect(scene.server.requests).toEqual([]);
  });

  test("that was missed during a downtime is listed as missed, and reported", async () => {
    const first = await scene.start();
    const id = await addJob(first, {
      ...DAILY,
      name: "often",
      schedule: { type: "every", every: "1h" },
      payload: { type: "message", text: "ping" },
    });
    await first.stop();
    scene.clock.pass(5 * 60 * MINUTE_MS + 10 * MINUTE_MS);
    await using running = await scene.start({ home: first.home });
    expect(await outcomes(running, id, 5)).toEqual(
      Array.from({ length: 5 }, () => "missed the gateway was down, or the clock was set forward"),
    );
    await scene.platform.waitForSends(1);
    expect(scene.texts[0]).toContain("was due 5 times and did not run");
    scene.clock.pass(50 * MINUTE_MS);
    await scene.platform.waitForSends(2);
    expect(scene.texts[1]).toBe("ping");
  });

  test("that is due within minutes of a restart still runs", async () => {
    const first = await scene.start();
    const id = await addJob(first, { ...DAILY, payload: { type: "message", text: "ping" } });
    await first.stop();
    scene.clock.pass(4 * MINUTE_MS);
    await using running = await scene.start({ home: first.home });
    expect(await outcomes(running, id, 1)).toEqual(["done"]);
    expect(scene.texts).toEqual(["ping"]);
  });

  test("keeps each slot to one run when the wall clock is set back", async () => {
    await using running = await scene.start();
    const id = await addJob(running, { ...DAILY, payload: { type: "message", text: "ping" } });
    scene.clock.pass(2 * MINUTE_MS);
    await scene.platform.waitForSends(1);
    scene.clock.setBy(-10 * MINUTE_MS);
    scene.clock.pass(11 * MINUTE_MS);
    scene.clock.pass(2 * MINUTE_MS);
    expect(await outcomes(running, id, 1)).toEqual(["done"]);
    await running.gateway.engine.idle();
    expect(scene.texts).toEqual(["ping"]);
  });
});
