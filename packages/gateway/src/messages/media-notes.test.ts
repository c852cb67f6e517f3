import { textReply } from "@factotum/testing-providers";
import { expect, test } from "vitest";
import { addJob, JobScene } from "../../test/job-scene.ts";

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
