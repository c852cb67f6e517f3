import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { FactotumConfig } from "@factotum/config";
import { createGate, startAnthropicServer, textReply } from "@factotum/testing-providers";
import type { AnthropicServer } from "@factotum/testing-providers";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { startTestGateway, TestPlatform, withModel } from "../../test/gateway-harness.ts";
import type { TestGateway } from "../../test/gateway-harness.ts";
import { TravellingClock } from "../../test/travelling-clock.ts";
import { isActive } from "./heartbeat-gate.ts";

const MINUTE_MS = 60_000;
const HALF_HOUR_MS = 30 * MINUTE_MS;
const START_MS = Date.UTC(2026, 2, 2, 12);
const BEAT = { every: "30m", target: "owner", lightContext: false, isolatedSession: false };

type Heartbeat = Exclude<FactotumConfig["agents"][number]["heartbeat"], "off">;

let server: AnthropicServer;
let platform: TestPlatform;
let clock: TravellingClock;
let workspace: string;
beforeEach(async () => {
  server = await startAnthropicServer();
  platform = new TestPlatform();
  clock = new TravellingClock(START_MS);
  workspace = await mkdtemp(path.join(tmpdir(), "factotum-heartbeat-"));
});
afterEach(async () => {
  await server[Symbol.asyncDispose]();
  await rm(workspace, { recursive: true, force: true });
});

async function start(heartbeat: Partial<Heartbeat> = {}): Promise<TestGateway> {
  return startTestGateway({
    platform,
    clock,
    patch: (config) => {
      const base = withModel(server.baseUrl)(config);
      const rows = { userTimezone: "UTC", workspace, heartbeat: { ...BEAT, ...heartbeat } };
      return { ...base, agents: base.agents.map((agent) => ({ ...agent, ...rows })) };
    },
  });
}

const plan = async (text: string): Promise<void> => writeFile(path.join(workspace, "HEARTBEAT.md"), text);
const texts = (): readonly string[] => platform.sent.flatMap(({ outbound }) => (outbound.type === "text" ? outbound.text : []));

async function greet(): Promise<void> {
  await platform.say(platform.message("Hello"));
  await platform.waitForSends(1);
}

/** The outcomes of the heartbeats so far, newest first, once there are `count`. */
async function beats({ store, gateway }: TestGateway, count: number): Promise<readonly string[]> {
  const read = async (): Promise<readonly string[]> => {
    const rows = await store.listOccurrences("heartbeat:main", { limit: 500 });
    return rows
      .filter(({ state }) => state !== "claimed" && state !== "running")
      .map(({ state, reason = "" }) => `${state} ${reason}`.trim());
  };
  await expect.poll(read).toHaveLength(count);
  await gateway.engine.idle();
  return read();
}

describe("a heartbeat", () => {
  test("with nothing to do costs nothing, whatever headings and comments there are", async () => {
    await using running = await start();
    for (let beat = 1; beat <= 48; beat += 1) {
      clock.pass(HALF_HOUR_MS);
      await beats(running, beat);
      if (beat === 24) await plan("# Tasks\n\n<!-- nothing\nyet -->\n- [ ]\n- \n");
    }
    expect(new Set(await beats(running, 48))).toEqual(new Set(["skipped nothing-to-do"]));
    expect([server.requests.length, platform.sent.length]).toEqual([0, 0]);
  });

  test("reports in the owner's chat what there is to report, and the same thing once a day", async () => {
    server.script([
      textReply("Hello."),
      ...Array.from({ length: 2 }, () => textReply("The oven is on.")),
      textReply("HEARTBEAT_OK"),
      textReply("The oven is on."),
    ]);
    await using running = await start();
    await greet();
    await plan("- Look at the oven.\n");
    for (let beat = 1; beat <= 3; beat += 1) {
      clock.pass(HALF_HOUR_MS);
      expect(await beats(running, beat)).toHaveLength(beat);
    }
    expect(texts()).toEqual(["Hello.", "The oven is on."]);
    expect(JSON.stringify(server.requests[1]?.body)).toContain("Heartbeat. If there is a HEARTBEAT.md");
    clock.pass(24 * 60 * MINUTE_MS);
    await platform.waitForSends(3);
    expect(texts().at(-1)).toBe("The oven is on.");
  });

  test("with a session of its own is known in the owner's chat when it is asked about", async () => {
    server.script([textReply("Hello."), textReply("The oven is on."), textReply("The one downstairs.")]);
    await using running = await start({ isolatedSession: true });
    await greet();
    await plan("- Look at the oven.\n");
    clock.pass(HALF_HOUR_MS);
    await platform.waitForSends(2);
    expect(JSON.stringify(server.requests[1]?.body)).not.toContain("Hello");
    await platform.say(platform.message("Which one?"));
    await platform.waitForSends(3);
    expect(JSON.stringify(server.requests[2]?.body)).toContain("The oven is on.");
    expect(await beats(running, 1)).toEqual(["done"]);
  });

  test("without a target runs before the owner has written, and sends nothing", async () => {
    server.script([textReply("The oven is on.")]);
    await using running = await start({ target: "none" });
    await plan("- Look at the oven.\n");
    clock.pass(HALF_HOUR_MS);
    expect(await beats(running, 1)).toEqual(["done"]);
    expect(texts()).toEqual([]);
  });

  test("is left out in quiet hours, before the owner has written, and while the session is busy", async () => {
    await using running = await start({ activeHours: { start: "12:40", end: "14:00" }, prompt: "Anything?" });
    clock.pass(HALF_HOUR_MS);
    await beats(running, 1);
    clock.pass(HALF_HOUR_MS);
    expect(await beats(running, 2)).toEqual(["skipped no-route: the owner has not written yet", "skipped quiet-hours"]);
    const gate = createGate();
    server.script([
      { type: "message", content: [{ type: "text", text: "Hello." }], fault: { type: "stall", afterBytes: 40, until: gate } },
    ]);
    await platform.say(platform.message("Hello"));
    await expect.poll(() => server.requests.length).toBe(1);
    await running.gateway.engine.schedule.beat("main");
    await expect.poll(async () => (await running.store.listOccurrences("heartbeat:main", { limit: 1 }))[0]?.reason).toBe("busy");
    gate.open();
    await platform.waitForSends(1);
  });

  test("is not made up for after eight hours of sleep, and nothing is said about it", async () => {
    server.script([textReply("Hello.")]);
    await using running = await start();
    await greet();
    clock.setBy(8 * 60 * MINUTE_MS);
    clock.pass(MINUTE_MS);
    const [newest, ...slept] = await beats(running, 16);
    expect(newest).toMatch(/^(?:missed|skipped)/);
    expect(new Set(slept)).toEqual(new Set(["missed the gateway was down, or the clock was set forward"]));
    expect(texts()).toEqual(["Hello."]);
    const session = await running.store.readSession("agent:main:main");
    expect(JSON.stringify(await running.store.readTranscript(session?.sessionId ?? "", { limit: 99 }))).not.toContain("did not run");
  });

  test("follows the configuration: switched off, it is gone", async () => {
    await using running = await start();
    const { config } = running.gateway.engine.parts.running;
    await running.gateway.reload(
      running.settings({ ...config, agents: config.agents.map((agent) => ({ ...agent, heartbeat: "off" as const })) }),
    );
    await expect.poll(async () => running.store.readJob("heartbeat:main")).toBeUndefined();
  });
});

test.each<[string, string, string, boolean]>([
  ["08:00", "22:00", "08:00", true],
  ["08:00", "22:00", "22:00", false],
  ["22:00", "06:00", "23:30", true],
  ["22:00", "06:00", "05:59", true],
  ["22:00", "06:00", "06:00", false],
  ["08:00", "08:00", "08:00", false],
  ["00:00", "24:00", "23:59", true],
])("hours from %s to %s include %s: %s", (from, to, time, expected) => {
  expect(isActive({ start: from, end: to }, { nowMs: Date.parse(`2026-03-02T${time}:00Z`), timeZone: "UTC" })).toBe(expected);
});
