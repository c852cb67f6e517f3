import type { JobSpec } from "@factotum/agent-contract";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createHeldCommands, type HeldCommands } from "../../test/held-commands.ts";
import { addJob, JobScene, shownOutcome } from "../../test/job-scene.ts";

const MINUTE_MS = 60_000;
const START_MS = Date.UTC(2026, 2, 2, 8, 55);
const BUILD: JobSpec = {
  name: "build",
  schedule: { type: "every", every: "1h", anchor: "2026-03-02T09:00:00Z" },
  payload: { type: "command", argv: ["/bin/build"] },
  catchUp: { mode: "all" },
  overlap: "skip",
};
const SKIPPED = "skipped overlap: the previous run is still active";

let scene: JobScene;
let commands: HeldCommands;
beforeEach(async () => {
  scene = await JobScene.create(START_MS);
  commands = createHeldCommands();
});
afterEach(() => scene[Symbol.asyncDispose]());

test("a slot that falls due while missed ones are made up for is run after them; later ones are skipped as always", async () => {
  const first = await scene.start({ hostCommands: commands });
  const id = await addJob(first, BUILD);
  await first.stop();
  scene.clock.pass(2 * 60 * MINUTE_MS + 15 * MINUTE_MS);
  await using running = await scene.start({ home: first.home, hostCommands: commands });
  const shown = async (): Promise<readonly string[]> =>
    (await running.store.listOccurrences(id, { limit: 50 })).toReversed().map(shownOutcome);
  const begun = async (count: number): Promise<void> => expect.poll(() => commands.commands.length, { interval: 5 }).toBe(count);
  await begun(1);
  expect(await shown()).toEqual(["running", "claimed", "claimed"]);
  scene.clock.pass(50 * MINUTE_MS);
  await expect.poll(shown, { interval: 5 }).toEqual(["running", "claimed", "claimed", "claimed"]);
  for (const count of [2, 3, 4]) {
    commands.commands[count - 2]?.end("built");
    await begun(count);
  }
  expect(await shown()).toEqual(["done", "done", "done", "running"]);
  scene.clock.pass(60 * MINUTE_MS);
  await expect.poll(shown, { interval: 5 }).toEqual(["done", "done", "done", "running", SKIPPED]);
});
