import { mkdir, utimes, writeFile } from "node:fs/promises";
import path from "node:path";
import { textReply } from "@factotum/testing-providers";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { TestGateway } from "../../test/gateway-harness.ts";
import { hasOutcome, JobScene, shownOutcome } from "../../test/job-scene.ts";

const HOUR_MS = 3_600_000;
const START_MS = Date.UTC(2026, 2, 2, 12);
const PROPOSAL = "Shall I add this?\n```diff\n+ Olga is allergic to nuts.\n```";

let scene: JobScene;
beforeEach(async () => {
  scene = await JobScene.create(START_MS);
});
afterEach(() => scene[Symbol.asyncDispose]());

async function start(dailyReview: string | undefined): Promise<TestGateway> {
  return scene.start({ patch: (config) => ({ ...config, memory: { ...config.memory, dailyReview } }) });
}

async function outcomes({ store }: TestGateway, count: number): Promise<readonly string[]> {
  const read = async (): Promise<readonly string[]> =>
    (await store.listOccurrences("review:main", { limit: 50 })).filter(hasOutcome).map(shownOutcome);
  await expect.poll(read).toHaveLength(count);
  return read();
}

async function note(atMs: number): Promise<void> {
  const file = path.join(scene.workspace, "memory", "2026-03-02.md");
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, "- Olga is allergic to nuts.\n");
  await utimes(file, atMs / 1000, atMs / 1000);
}

test("proposes additions once a day to the owner, with tools that only read, and its proposal is known where the owner answers", async () => {
  await using running = await start("21:00");
  scene.server.script([textReply("Hello."), textReply("Hello again.")]);
  await scene.platform.say(scene.platform.message("Hello"));
  await scene.platform.waitForSends(1);
  await scene.platform.say(scene.platform.message("Hello"));
  await scene.platform.waitForSends(2);
  await note(START_MS);
  scene.server.script([textReply(PROPOSAL)]);
  scene.clock.pass(9 * HOUR_MS + 6 * 60_000);
  expect(await outcomes(running, 1)).toEqual(["done"]);
  await scene.platform.waitForSends(3);
  expect(JSON.stringify(scene.platform.sent.at(-1)?.outbound)).toContain("allergic to nuts");
  const receipts = async (): Promise<readonly unknown[]> =>
    (await running.store.listOccurrences("review:main", { limit: 1 })).map(({ receipt }) => receipt);
  await expect.poll(receipts).toEqual(["delivered"]);
  const tools = (scene.server.requests.at(-1)?.body?.["tools"] ?? []) as unknown as readonly { readonly name: string }[];
  expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(["read", "grep"]));
  for (const name of ["write", "edit", "apply_patch", "exec", "message"]) expect(tools.map((tool) => tool.name)).not.toContain(name);
  scene.server.script([textReply("Written.")]);
  await scene.platform.say(scene.platform.message("Yes, do."));
  await scene.platform.waitForSends(4);
  expect(JSON.stringify(scene.server.requests.at(-1)?.body?.["messages"])).toContain("allergic to nuts");
});

test("asks no model without new notes, and says why there is no address", async () => {
  await using running = await start("21:00");
  scene.clock.pass(9 * HOUR_MS + 6 * 60_000);
  expect(await outcomes(running, 1)).toEqual(["skipped nothing-to-do"]);
  await note(START_MS + 20 * HOUR_MS);
  scene.clock.pass(24 * HOUR_MS);
  expect(await outcomes(running, 2)).toEqual(["skipped no-route: the owner has not written yet", "skipped nothing-to-do"]);
  expect(scene.server.requests).toEqual([]);
});

test("is off by default", async () => {
  await using running = await start(undefined);
  expect(await running.store.listJobs()).toEqual([]);
});
