import { writeFile } from "node:fs/promises";
import path from "node:path";
import type { FactotumConfig } from "@factotum/config";
import type { ChatEntry } from "@factotum/protocol";
import { createGate, textReply } from "@factotum/testing-providers";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { TestGateway } from "../../test/gateway-harness.ts";
import { hasOutcome, JobScene, shownOutcome } from "../../test/job-scene.ts";
import { TestClient } from "../../test/test-client.ts";
import { isActive } from "./heartbeat-gate.ts";

const MINUTE_MS = 60_000;
const HALF_HOUR_MS = 30 * MINUTE_MS;
const START_MS = Date.UTC(2026, 2, 2, 12);
const BEAT = { every: "30m", target: "owner", lightContext: false, isolatedSession: false, ackMaxChars: 300 };

type Heartbeat = Exclude<FactotumConfig["agents"][number]["heartbeat"], "off">;

let scene: JobScene;
beforeEach(async () => {
  scene = await JobScene.create(START_MS);
});
afterEach(() => scene[Symbol.asyncDispose]());

const start = async (heartbeat: Partial<Heartbeat> = {}): Promise<TestGateway> =>
  scene.start({ agent: { heartbeat: { ...BEAT, ...heartbeat } } });
const plan = async (text: string): Promise<void> => writeFile(path.join(scene.workspace, "HEARTBEAT.md"), text);

async function greet(): Promise<void> {
  await scene.platform.say(scene.platform.message("Hello"));
  await scene.platform.waitForSends(1);
}

/** Configures another `ackMaxChars` while the gateway runs. */
async function limit(running: TestGateway, ackMaxChars: number): Promise<void> {
  const { config } = running.gateway.engine.parts.running;
  const agents = config.agents.map((agent) => ({ ...agent, heartbeat: { ...BEAT, prompt: "Anything?", ackMaxChars } }));
  await running.gateway.reload(running.settings({ ...config, agents }));
}

/** The texts of a conversation as clients show it. */
function textsOf(entries: readonly ChatEntry[]): readonly string[] {
  return entries.flatMap((entry) => (entry.type === "tool-result" ? [] : [entry.text]));
}

/** How often a request has a text. */
function shownIn(request: number, text: string): number {
  return JSON.stringify(scene.server.requests.at(request)?.body).split(text).length - 1;
}

/** The outcomes of the heartbeats so far, newest first, once there are `count`. */
async function beats({ store, gateway }: TestGateway, count: number): Promise<readonly string[]> {
  const read = async (): Promise<readonly string[]> => {
    const rows = await store.listOccurrences("heartbeat:main", { limit: 500 });
    return rows.filter(hasOutcome).map(shownOutcome);
  };
  await expect.poll(read).toHaveLength(count);
  await gateway.engine.idle();
  return read();
}

describe("a heartbeat", () => {
  test("with nothing to do costs nothing, whatever headings and comments there are", async () => {
    await using running = await start();
    for (let beat = 1; beat <= 48; beat += 1) {
      scene.clock.pass(HALF_HOUR_MS);
      await beats(running, beat);
      if (beat === 24) await plan("# Tasks\n\n<!-- nothing\nyet -->\n- [ ]\n- \n");
    }
    expect(new Set(await beats(running, 48))).toEqual(new Set(["skipped nothing-to-do"]));
    expect([scene.server.requests.length, scene.platform.sent.length]).toEqual([0, 0]);
  });

  test("reports in the owner's chat what there is to report, and the same thing once a day", async () => {
    scene.server.script([
      textReply("Hello."),
      ...Array.from({ length: 2 }, () => textReply("The oven is on.")),
      textReply("HEARTBEAT_OK"),
      textReply("The oven is on."),
    ]);
    await using running = await start();
    await greet();
    await plan("- Look at the oven.\n");
    for (let beat = 1; beat <= 3; beat += 1) {
      scene.clock.pass(HALF_HOUR_MS);
      expect(await beats(running, beat)).toHaveLength(beat);
    }
    expect(scene.texts).toEqual(["Hello.", "The oven is on."]);
    expect(JSON.stringify(scene.server.requests[1]?.body)).toContain("Heartbeat. If there is a HEARTBEAT.md");
    scene.clock.pass(24 * 60 * MINUTE_MS);
    await scene.platform.waitForSends(3);
    expect(scene.texts.at(-1)).toBe("The oven is on.");
  });

  test("is silent within the limit that it began with, in the chat and in later requests, regardless of later settings", async () => {
    const answer = "HEARTBEAT_OK All is well.";
    scene.server.script(["Hello.", answer, "One.", answer, "Two.", "Three."].map(textReply));
    await using running = await start({ prompt: "Anything?" });
    await greet();
    scene.clock.pass(HALF_HOUR_MS);
    await beats(running, 1);
    await limit(running, 11);
    await scene.platform.say(scene.platform.message("one"));
    await scene.platform.waitForSends(2);
    expect(shownIn(2, answer)).toBe(0);
    scene.clock.pass(HALF_HOUR_MS);
    await beats(running, 2);
    expect(scene.texts).toEqual(["Hello.", "One.", answer]);
    for (const chars of [300, 0]) {
      await limit(running, chars);
      await scene.platform.say(scene.platform.message("more"));
      await running.gateway.engine.idle();
      expect(shownIn(-1, answer)).toBe(1);
    }
  });

  test("is shown to clients that watch the conversation once it has something new to say, and else never", async () => {
    const gate = createGate();
    const alert = "The oven is on.";
    scene.server.script([
      textReply("Hello."),
      { type: "message", content: [{ type: "text", text: "HEARTBEAT_OK" }], fault: { type: "stall", afterBytes: 40, until: gate } },
      ...[alert, alert, "The oven is off."].map(textReply),
    ]);
    await using running = await start({ prompt: "Anything?" });
    await greet();
    await running.gateway.engine.idle();
    using client = await TestClient.connect(running.gateway.url, running.token);
    const history = async (): Promise<readonly string[]> =>
      textsOf((await client.call("chat.subscribe", { sessionKey: "agent:main:main" })).entries);
    expect(await history()).toEqual(["Hello", "Hello."]);
    scene.clock.pass(HALF_HOUR_MS);
    await expect.poll(() => scene.server.requests.length).toBe(2);
    expect(await history()).toEqual(["Hello", "Hello."]);
    gate.open();
    for (let beat = 1; beat <= 4; beat += 1) {
      await beats(running, beat);
      scene.clock.pass(HALF_HOUR_MS);
    }
    const shown = ["Heartbeat.", alert, "Heartbeat.", "The oven is off."];
    await client.until(() => (client.events.filter(({ type }) => type === "entry").length < shown.length ? undefined : true));
    expect(textsOf(client.events.flatMap((event) => (event.type === "entry" ? [event.entry] : [])))).toEqual(shown);
    expect(client.events.filter(({ type }) => type !== "entry" && type !== "queue-change")).toEqual([]);
    expect(await history()).toEqual(["Hello", "Hello.", ...shown]);
  });

  test("with a session of its own is known in the owner's chat when it is asked about", async () => {
    scene.server.script([textReply("Hello."), textReply("The oven is on."), textReply("The one downstairs.")]);
    await using running = await start({ isolatedSession: true });
    await greet();
    await plan("- Look at the oven.\n");
    scene.clock.pass(HALF_HOUR_MS);
    await scene.platform.waitForSends(2);
    expect(JSON.stringify(scene.server.requests[1]?.body)).not.toContain("Hello");
    await scene.platform.say(scene.platform.message("Which one?"));
    await scene.platform.waitForSends(3);
    expect(JSON.stringify(scene.server.requests[2]?.body)).toContain("The oven is on.");
    expect(await beats(running, 1)).toEqual(["done"]);
  });

  test("without a target runs before the owner has written, and sends nothing", async () => {
    scene.server.script([textReply("The oven is on.")]);
    await using running = await start({ target: "none" });
    await plan("- Look at the oven.\n");
    scene.clock.pass(HALF_HOUR_MS);
    expect(await beats(running, 1)).toEqual(["done"]);
    expect(scene.texts).toEqual([]);
  });

  test("is left out in quiet hours, before the owner has written, and while the session is busy", async () => {
    await using running = await start({ activeHours: { start: "12:40", end: "14:00" }, prompt: "Anything?" });
    scene.clock.pass(HALF_HOUR_MS);
    await beats(running, 1);
    scene.clock.pass(HALF_HOUR_MS);
    expect(await beats(running, 2)).toEqual(["skipped no-route: the owner has not written yet", "skipped quiet-hours"]);
    const gate = createGate();
    scene.server.script([
      { type: "message", content: [{ type: "text", text: "Hello." }], fault: { type: "stall", afterBytes: 40, until: gate } },
    ]);
    await scene.platform.say(scene.platform.message("Hello"));
    await expect.poll(() => scene.server.requests.length).toBe(1);
    await running.gateway.engine.schedule.heartbeats.run("main");
    await expect.poll(async () => (await running.store.listOccurrences("heartbeat:main", { limit: 1 }))[0]?.reason).toBe("busy");
    gate.open();
    await scene.platform.waitForSends(1);
  });

  test("is not made up for after eight hours of sleep, and nothing is said about it", async () => {
    scene.server.script([textReply("Hello.")]);
    await using running = await start();
    await greet();
    scene.clock.setBy(8 * 60 * MINUTE_MS);
    scene.clock.pass(MINUTE_MS);
    const [newest, ...slept] = await beats(running, 16);
    expect(newest).toMatch(/^(?:missed|skipped)/);
    expect(new Set(slept)).toEqual(new Set(["missed the gateway was down, or the clock was set forward"]));
    expect(scene.texts).toEqual(["Hello."]);
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
