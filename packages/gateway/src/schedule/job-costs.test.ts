import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { JobSpec } from "@factotum/agent-contract";
import type { FactotumConfig } from "@factotum/config";
import type { JobAuthority, OccurrenceRecord } from "@factotum/store";
import { createGate, startAnthropicServer, textReply } from "@factotum/testing-providers";
import type { AnthropicServer } from "@factotum/testing-providers";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startTestGateway, TestPlatform, withModel } from "../../test/gateway-harness.ts";
import type { TestGateway } from "../../test/gateway-harness.ts";
import { createHeldCommands } from "../../test/held-commands.ts";
import type { TestRunner } from "../../test/complete-runner.ts";
import { TravellingClock } from "../../test/travelling-clock.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const START_MS = Date.UTC(2026, 2, 2, 9, 0, 30);
const CHAT: JobAuthority = {
  owner: true,
  sender: { id: "owner-1", name: "Olga", isBot: false },
  origin: { channel: "test", accountId: "default", conversation: { kind: "direct", id: "dm-1" } },
  sessionKey: "agent:main:main",
};
const TASK: Pick<JobSpec, "payload"> = { payload: { type: "agentTurn", message: "Look at it." } };
const HOURLY: JobSpec["schedule"] = { type: "every", every: "1h", anchor: "2026-03-02T09:00:00Z" };

let server: AnthropicServer;
let platform: TestPlatform;
let clock: TravellingClock;
let workspace: string;
beforeEach(async () => {
  server = await startAnthropicServer();
  platform = new TestPlatform();
  clock = new TravellingClock(START_MS);
  workspace = await mkdtemp(path.join(tmpdir(), "factotum-costs-"));
});
afterEach(async () => {
  await server[Symbol.asyncDispose]();
  await rm(workspace, { recursive: true, force: true });
});

async function start(
  changes: Partial<FactotumConfig> = {},
  { every, runner }: { every?: string; runner?: TestRunner } = {},
): Promise<TestGateway> {
  const heartbeat = every === undefined ? ("off" as const) : { every, target: "owner", lightContext: false, isolatedSession: false };
  return startTestGateway({
    platform,
    clock,
    ...(runner === undefined ? {} : { hostCommands: runner }),
    patch: (config) => {
      const base = withModel(server.baseUrl)(config);
      return { ...base, agents: base.agents.map((agent) => ({ ...agent, userTimezone: "UTC", workspace, heartbeat })), ...changes };
    },
  });
}

async function add({ gateway }: TestGateway, spec: JobSpec): Promise<string> {
  const change = await gateway.engine.schedule.jobs.add(spec, { agentId: "main", authority: CHAT });
  if (change.type === "refused") throw new Error(change.message);
  return change.job.id;
}

const range = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index);

/** The rows of some jobs once `count` of them have an outcome. */
async function settled({ store }: TestGateway, ids: readonly string[], count: number): Promise<readonly OccurrenceRecord[]> {
  let rows: readonly OccurrenceRecord[] = [];
  const read = async (): Promise<number> => {
    rows = (await Promise.all(ids.map(async (id) => store.listOccurrences(id, { limit: 500 })))).flat();
    return rows.filter(({ state }) => state !== "claimed" && state !== "running").length;
  };
  await expect.poll(read, { interval: 5 }).toBe(count);
  return rows;
}

const texts = (): readonly string[] => platform.sent.flatMap(({ outbound }) => (outbound.type === "text" ? outbound.text : []));

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
  await writeFile(path.join(workspace, "HEARTBEAT.md"), "# Tasks\n");
  await using running = await start({}, { every: "30m", runner });
  const ids: string[] = ["heartbeat:main"];
  const schedule: JobSpec["schedule"] = { type: "every", every: "6h" };
  for (const index of range(20))
    ids.push(await add(running, { ...TASK, name: `job ${index}`, schedule, check: { type: "argv", argv: ["/bin/check"] } }));
  for (const beat of range(96)) {
    clock.pass(30 * MINUTE_MS);
    await settled(running, ids.slice(0, 1), beat + 1);
    if ((beat + 1) % 12 === 0) await settled(running, ids.slice(1), 20 * ((beat + 1) / 12));
  }
  const rows = await settled(running, ids, 96 + 160);
  expect(new Set(rows.map(({ state, reason }) => `${state} ${reason ?? ""}`))).toEqual(
    new Set(["skipped nothing-to-do", "skipped gate: exit code 1"]),
  );
  expect([server.requests.length, platform.sent.length, checked.length]).toEqual([0, 0, 160]);
  expect(await running.store.readSpend("2026-03-03", "main")).toEqual([]);
});

async function greet(): Promise<void> {
  server.respond(() => textReply("Hello."));
  await platform.say(platform.message("Hello"));
  await platform.waitForSends(1);
}

test("a provider that answers 401 for a day is asked three times, and the owner is told once; jobs go on when a message is answered", async () => {
  await using running = await start();
  await greet();
  server.respond(() => ({ type: "error", errorType: "authentication_error", message: "no" }));
  const ids = [await add(running, { ...TASK, name: "job", schedule: HOURLY })];
  for (const hour of range(24)) {
    clock.pass(HOUR_MS);
    await settled(running, ids, hour + 1);
  }
  expect(server.requests).toHaveLength(1 + 3);
  await running.gateway.engine.idle();
  expect(await notices(running, /cron runs of the agent main pause/)).toBe(1);
  server.respond(() => textReply("Hello again."));
  await platform.say(platform.message("Hello"));
  await expect.poll(() => texts().at(-1)).toBe("Hello again.");
  clock.pass(HOUR_MS);
  await settled(running, ids, 25);
  expect(server.requests).toHaveLength(4 + 2);
});

test("a cap that is reached is told once, and people are served", async () => {
  await using running = await start({ spend: { unattended: { tokensPerDay: 1, usdPerDay: 1 }, perCause: {}, perAgent: {} } });
  await greet();
  const id = await add(running, { ...TASK, name: "job", schedule: HOURLY, delivery: { type: "none" } });
  for (const hour of range(6)) {
    clock.pass(HOUR_MS);
    await settled(running, [id], hour + 1);
  }
  const rows = await settled(running, [id], 6);
  expect(rows.map(({ state }) => state)).toEqual([...range(5).map(() => "skipped"), "done"]);
  await platform.say(platform.message("Hello"));
  await running.gateway.engine.idle();
  expect(server.requests).toHaveLength(3);
  expect(await notices(running, /is used up for today/)).toBe(1);
  expect(texts().filter((text) => text === "Hello.")).toHaveLength(2);
});

test("a person's turn is not delayed by 100 stalled runs, and no more than eight programs of jobs run at once", async () => {
  const gate = createGate();
  const commands = createHeldCommands();
  server.respond(({ body }) =>
    JSON.stringify(body).includes("Look at it.")
      ? { type: "message", content: [{ type: "text", text: "Seen." }], fault: { type: "stall", afterBytes: 40, until: gate } }
      : textReply("Hello."),
  );
  await using running = await start({}, { runner: commands });
  for (const index of range(100)) await add(running, { ...TASK, name: `job ${index}`, schedule: HOURLY, delivery: { type: "none" } });
  const programs: string[] = [];
  for (const index of range(20))
    programs.push(
      await add(running, {
        name: `program ${index}`,
        schedule: HOURLY,
        payload: { type: "command", argv: ["/bin/x"] },
        delivery: { type: "none" },
      }),
    );
  clock.pass(HOUR_MS);
  await expect.poll(() => commands.commands.length, { timeout: 20_000 }).toBe(8);
  await expect.poll(() => server.requests.length).toBeGreaterThan(0);
  const stalled = server.requests.length;
  await platform.say(platform.message("Hello"));
  await platform.waitForSends(1);
  expect(texts()).toEqual(["Hello."]);
  expect(server.requests).toHaveLength(stalled + 1);
  for (const index of range(20)) {
    await expect.poll(() => commands.commands.length).toBeGreaterThan(index);
    commands.commands[index]?.end("x");
  }
  await settled(running, programs, 20);
  gate.open();
}, 60_000);
