import { mkdir, mkdtemp, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { startAnthropicServer, textReply } from "@factotum/testing-providers";
import type { AnthropicServer } from "@factotum/testing-providers";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startTestGateway, TestPlatform, withModel } from "../../test/gateway-harness.ts";
import type { TestGateway } from "../../test/gateway-harness.ts";
import { TravellingClock } from "../../test/travelling-clock.ts";

const HOUR_MS = 3_600_000;
const START_MS = Date.UTC(2026, 2, 2, 12);
const PROPOSAL = "Shall I add this?\n```diff\n+ Olga is allergic to nuts.\n```";

let server: AnthropicServer;
let platform: TestPlatform;
let clock: TravellingClock;
let workspace: string;
beforeEach(async () => {
  server = await startAnthropicServer();
  platform = new TestPlatform();
  clock = new TravellingClock(START_MS);
  workspace = await mkdtemp(path.join(tmpdir(), "factotum-review-"));
});
afterEach(async () => {
  await server[Symbol.asyncDispose]();
  await rm(workspace, { recursive: true, force: true });
});

async function start(dailyReview: string | undefined): Promise<TestGateway> {
  return startTestGateway({
    platform,
    clock,
    patch: (config) => {
      const base = withModel(server.baseUrl)(config);
      const agents = base.agents.map((agent) => ({ ...agent, userTimezone: "UTC", workspace }));
      return { ...base, agents, memory: { ...base.memory, dailyReview } };
    },
  });
}

async function outcomes({ store }: TestGateway, count: number): Promise<readonly string[]> {
  const read = async (): Promise<readonly string[]> =>
    (await store.listOccurrences("review:main", { limit: 50 }))
      .filter(({ state }) => state !== "claimed" && state !== "running")
      .map(({ state, reason = "" }) => `${state} ${reason}`.trim());
  await expect.poll(read).toHaveLength(count);
  return read();
}

async function note(atMs: number): Promise<void> {
  const file = path.join(workspace, "memory", "2026-03-02.md");
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, "- Olga is allergic to nuts.\n");
  await utimes(file, atMs / 1000, atMs / 1000);
}

test("proposes additions once a day to the owner, with tools that only read, and its proposal is known where the owner answers", async () => {
  await using running = await start("21:00");
  server.script([textReply("Hello.")]);
  await platform.say(platform.message("Hello"));
  await platform.waitForSends(1);
  await note(START_MS);
  server.script([textReply(PROPOSAL)]);
  clock.pass(9 * HOUR_MS + 6 * 60_000);
  expect(await outcomes(running, 1)).toEqual(["done"]);
  await platform.waitForSends(2);
  expect(JSON.stringify(platform.sent.at(-1)?.outbound)).toContain("allergic to nuts");
  const receipts = async (): Promise<readonly unknown[]> =>
    (await running.store.listOccurrences("review:main", { limit: 1 })).map(({ receipt }) => receipt);
  await expect.poll(receipts).toEqual(["delivered"]);
  const tools = (server.requests.at(-1)?.body?.["tools"] ?? []) as unknown as readonly { readonly name: string }[];
  expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(["read", "grep"]));
  for (const name of ["write", "edit", "apply_patch", "exec", "message"]) expect(tools.map((tool) => tool.name)).not.toContain(name);
  server.script([textReply("Written.")]);
  await platform.say(platform.message("Yes, do."));
  await platform.waitForSends(3);
  expect(JSON.stringify(server.requests.at(-1)?.body?.["messages"])).toContain("allergic to nuts");
});

test("asks no model without new notes, and says why there is no address", async () => {
  await using running = await start("21:00");
  clock.pass(9 * HOUR_MS + 6 * 60_000);
  expect(await outcomes(running, 1)).toEqual(["skipped nothing-to-do"]);
  await note(START_MS + 20 * HOUR_MS);
  clock.pass(24 * HOUR_MS);
  expect(await outcomes(running, 2)).toEqual(["skipped no-route: the owner has not written yet", "skipped nothing-to-do"]);
  expect(server.requests).toEqual([]);
});

test("is off by default, and goes with its setting", async () => {
  await using running = await start(undefined);
  expect(await running.store.listJobs()).toEqual([]);
});
