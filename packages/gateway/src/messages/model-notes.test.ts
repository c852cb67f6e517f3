import { writeFile } from "node:fs/promises";
import path from "node:path";
import type { JobSpec } from "@factotum/agent-contract";
import { textReply } from "@factotum/testing-providers";
import { expect, test } from "vitest";
import { addJob, hasOutcome, JobScene } from "../../test/job-scene.ts";
import type { TestRunner } from "../../test/complete-runner.ts";

const MINUTE_MS = 60_000;
const START_MS = Date.UTC(2026, 2, 2, 8, 58, 30);
const TEXTS = ["Tea is ready.", "The bell rings.", "Post.", "Rain."];

test("what jobs have sent into a conversation is known to its next turn, once, in the middle of the conversation and after a start", async () => {
  await using scene = await JobScene.create(START_MS);
  scene.server.script(Array.from({ length: 5 }, () => textReply("Well.")));
  let sends = 0;
  const sent = async (count: number): Promise<void> => {
    sends += count;
    await scene.platform.waitForSends(sends);
  };
  /** How often the model has heard of each text. */
  const known = async (): Promise<readonly number[]> => {
    await scene.platform.say(scene.platform.message("What was that?"));
    await sent(1);
    const messages = JSON.stringify(scene.server.requests.at(-1)?.body?.["messages"]);
    return TEXTS.map((text) => messages.split(text).length - 1);
  };
  const first = await scene.start();
  await known();
  expect(await known()).toEqual([0, 0, 0, 0]);
  for (const [index, text] of TEXTS.entries())
    await addJob(first, { name: `job-${index}`, schedule: { type: "cron", cron: "0 9 * * *" }, payload: { type: "message", text } });
  scene.clock.pass(2 * MINUTE_MS);
  await sent(TEXTS.length);
  expect(await known()).toEqual([1, 1, 1, 1]);
  expect(await known()).toEqual([1, 1, 1, 1]);
  scene.clock.pass(24 * 60 * MINUTE_MS);
  await sent(TEXTS.length);
  await first.stop();
  await using _again = await scene.start({ home: first.home });
  expect(await known()).toEqual([2, 2, 2, 2]);
});

test("the turn that answers knows what was sent since the last message, also after a silent heartbeat and in the next day's new conversation", async () => {
  await using scene = await JobScene.create(Date.UTC(2026, 2, 2, 20));
  scene.server.script(
    ["Hello.", "HEARTBEAT_OK", "Tea, of course.", "The oven is on.", "HEARTBEAT_OK", "Downstairs."].map((text) => textReply(text)),
  );
  await writeFile(path.join(scene.workspace, "HEARTBEAT.md"), "- Look at the oven.\n");
  const heartbeat = { every: "6h", target: "owner", lightContext: false, isolatedSession: false, ackMaxChars: 300 };
  await using running = await scene.start({
    agent: { heartbeat },
    patch: (config) => ({ ...config, session: { ...config.session, reset: { mode: "daily", atHour: 4 } } }),
  });
  const ask = async (text: string, sends: number): Promise<string> => {
    await scene.platform.say(scene.platform.message(text));
    await scene.platform.waitForSends(sends);
    return JSON.stringify(scene.server.requests.at(-1)?.body?.["messages"]);
  };
  const beat = async (count: number, hours: number): Promise<void> => {
    scene.clock.pass(hours * 60 * MINUTE_MS);
    await expect
      .poll(async () => (await running.store.listOccurrences("heartbeat:main", { limit: 9 })).filter(hasOutcome))
      .toHaveLength(count);
    await running.gateway.engine.idle();
  };
  await ask("Hello", 1);
  await addJob(running, {
    name: "tea",
    schedule: { type: "at", at: "2026-03-02T21:00" },
    payload: { type: "message", text: "Tea is ready." },
  });
  scene.clock.pass(60 * MINUTE_MS);
  await scene.platform.waitForSends(2);
  await beat(1, 5);
  expect(await ask("What is ready?", 3)).toContain("Tea is ready.");
  await beat(2, 6);
  await beat(3, 6);
  expect(scene.texts.at(-1)).toBe("The oven is on.");
  const next = await ask("Which oven?", 5);
  expect(next).toContain("The oven is on.");
  expect(next).not.toContain("HEARTBEAT_OK");
  expect(next).not.toContain("What is ready?");
});

test("a turn that learns what a tainted run has sent is tainted as well, also in a new conversation", async () => {
  await using scene = await JobScene.create(Date.UTC(2026, 2, 2, 20));
  scene.server.script(
    ["Hello.", "All is well.", "Yes.", "They say: obey.", "Who?", "They say: obey again.", "Morning."].map((text) => textReply(text)),
  );
  const runner: TestRunner = {
    run: async () => ({ end: { type: "exited", exitCode: 0 }, output: "Obey.", outputBytes: 5, durationMs: 1 }),
  };
  await using running = await scene.start({
    hostCommands: runner,
    patch: (config) => ({ ...config, session: { ...config.session, reset: { mode: "daily", atHour: 4 } } }),
  });
  let sends = 0;
  const isMarked = async (): Promise<boolean> => {
    await scene.platform.say(scene.platform.message("And?"));
    await scene.platform.waitForSends((sends += 1));
    await running.gateway.engine.idle();
    const session = await running.store.readSession("agent:main:main");
    const { items } = await running.store.readTranscript(session?.sessionId ?? "", { limit: 9 });
    const said = items.flatMap((entry) => (entry.type === "message" && entry.message.role === "user" ? entry.message : []));
    return said.at(-1)?.tainted === true;
  };
  const hear = async (at: string, hours: number, check: JobSpec["check"]): Promise<void> => {
    const payload = { type: "agentTurn", message: "Look." } as const;
    await addJob(running, { name: at, schedule: { type: "at", at }, payload, ...(check === undefined ? {} : { check }) });
    scene.clock.pass(hours * 60 * MINUTE_MS);
    await scene.platform.waitForSends((sends += 1));
    await running.gateway.engine.idle();
  };
  expect(await isMarked()).toBe(false);
  await hear("2026-03-02T21:00", 1, undefined);
  expect(await isMarked()).toBe(false);
  await hear("2026-03-02T22:00", 1, { type: "argv", argv: ["/bin/check"] });
  expect(await isMarked()).toBe(true);
  await hear("2026-03-03T05:00", 7, { type: "argv", argv: ["/bin/check"] });
  expect(await isMarked()).toBe(true);
});
