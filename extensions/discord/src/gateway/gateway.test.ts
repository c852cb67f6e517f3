import { ManualClock } from "@factotum/testing-channels";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ALICE, DIRECT, soon, startScene } from "../../test/scene.ts";
import type { DiscordScene } from "../../test/scene.ts";

const random = {
  bytes: (count: number) => new Uint8Array(count).fill(7),
  uuid: () => "00000000-0000-4000-8000-000000000000",
  float: () => 0.5,
};
const HEARTBEAT_MS = 40_000;
const CONTENT_INTENT = 1 << 15;

let clock: ManualClock;
let scene: DiscordScene;

beforeEach(async () => {
  clock = new ManualClock();
  scene = await startScene({ clock, random, heartbeatIntervalMs: HEARTBEAT_MS });
});
afterEach(async () => {
  await scene[Symbol.asyncDispose]();
});

/** Resolves once the condition is met, in turns of the event loop. */
async function until(isMet: () => boolean): Promise<void> {
  while (!isMet()) await new Promise((resolve) => setImmediate(resolve));
}

/** Fires the timer that is due in `delayMs`, once there is one. */
async function fire(delayMs: number): Promise<void> {
  await until(() => clock.pending.includes(delayMs));
  clock.advance(delayMs);
}

const logins = (): readonly string[] => scene.discord.gateway.logins.map(({ type }) => type);

describe("a restart", () => {
  test("resumes the session after the last stored event", async () => {
    await scene.start();
    await scene.say("one");
    const [session, stored] = ((await scene.host.cursor()) ?? "").split("/");
    await scene.channel.stop(soon());
    await scene.another().start(soon());
    expect(scene.discord.gateway.logins.at(-1)).toEqual({ type: "resume", sequence: Number(stored) });
    expect(session).toMatch(/^[0-9a-f]{32}$/);
    expect(scene.discord.gateway.closeCodes).toEqual([4900]);
  });

  test("begins a new session where the platform does not know the old one, after the pause that it asks for", async () => {
    await scene.start();
    await scene.channel.stop(soon());
    scene.discord.gateway.forget();
    const starting = scene.another().start(soon());
    await fire(3_000);
    await starting;
    expect(logins()).toEqual(["identify", "resume", "identify"]);
    expect(scene.host.logLines.filter((line) => line.includes("may be missing"))).toHaveLength(1);
  });

  test("keeps the position before an event that was not stored", async () => {
    await scene.start();
    await scene.say("one");
    const before = await scene.host.cursor();
    scene.host.failNext();
    const lost = scene.discord.addMessage({ channelId: DIRECT, authorId: ALICE, content: "two" });
    const passed = scene.host.passedOn(lost.id);
    scene.discord.gateway.dispatch("MESSAGE_CREATE", scene.discord.messageData(lost));
    expect(await passed).toBe("failed");
    const later = scene.discord.addMessage({ channelId: DIRECT, authorId: ALICE, content: "three" });
    scene.discord.gateway.dispatch("MESSAGE_CREATE", scene.discord.messageData(later));
    await scene.channel.stop({ signal: AbortSignal.abort() });
    expect(await scene.host.cursor()).toBe(before);
    await scene.another().start(soon());
    await scene.host.storedMessages(3);
    expect(scene.host.stored.map(({ text }) => text)).toEqual(["one", "two", "three"]);
  });
});

describe("a connection", () => {
  test("that is not acknowledged any more is closed, keeps its session, and is opened again", async () => {
    await scene.start();
    const { gateway } = scene.discord;
    gateway.isSilent = true;
    await fire(HEARTBEAT_MS / 2);
    await gateway.until(() => gateway.heartbeats.length === 1);
    await fire(HEARTBEAT_MS);
    expect(scene.channel.health()).toMatchObject({ state: "disconnected", detail: "Discord's connection has gone silent" });
    await gateway.until(() => gateway.closeCodes.length === 1);
    await fire(500);
    await gateway.connected(2);
    expect(logins()).toEqual(["identify", "resume"]);
    expect(gateway.closeCodes).toEqual([4900]);
  });

  test("answers the platform's own heartbeat, with the number of the last stored event", async () => {
    await scene.start();
    await scene.say("one");
    const [, stored] = ((await scene.host.cursor()) ?? "").split("/");
    const { gateway } = scene.discord;
    gateway.send({ op: 1, d: null });
    await gateway.until(() => gateway.heartbeats.length === 1);
    expect(gateway.heartbeats).toEqual([Number(stored)]);
  });

  test("is opened again when the platform asks for it", async () => {
    await scene.start();
    scene.discord.gateway.send({ op: 7, d: null });
    await fire(500);
    await scene.discord.gateway.connected(2);
    expect(logins()).toEqual(["identify", "resume"]);
  });

  test("resumes at most three times in a row without a result", async () => {
    await scene.start();
    const { gateway } = scene.discord;
    gateway.drop();
    for (const delayMs of [500, 1_000, 2_000]) {
      gateway.closeNext(4000, "Unknown error");
      await fire(delayMs);
      await gateway.until(() => gateway.closeCodes.includes(4000));
      gateway.closeCodes.length = 0;
    }
    await fire(4_000);
    await gateway.connected(2);
    expect(logins()).toEqual(["identify", "resume", "resume", "resume", "identify"]);
  });

  test("whose token was reset is tried again after ten minutes, and the health says why", async () => {
    await scene.start();
    scene.discord.gateway.closeAll(4004, "Authentication failed.");
    await until(() => clock.pending.includes(600_500));
    expect(scene.channel.health()).toMatchObject({
      state: "disconnected",
      detail: "Discord closed the connection (4004: Authentication failed.)",
    });
  });
});

test("a store that fails keeps the connection open, and the session is stored later", async () => {
  scene.host.failNext();
  await scene.start();
  expect(await scene.host.cursor()).toBeUndefined();
  await until(() => clock.pending.some((delayMs) => delayMs < 1_000));
  clock.advance(1_000);
  await scene.say("one");
  expect(logins()).toEqual(["identify"]);
  expect(await scene.host.state.get("gateway/session")).toBeDefined();
});

test("events that wait in too great a number are sent again by the platform, each stored once and in order", async () => {
  await scene.start();
  const release = scene.host.hold();
  const { gateway } = scene.discord;
  const count = 2_005;
  for (let number = 0; number < count; number += 1) {
    const message = scene.discord.addMessage({ channelId: DIRECT, authorId: ALICE, content: `message ${number}` });
    gateway.dispatch("MESSAGE_CREATE", scene.discord.messageData(message));
  }
  await gateway.until(() => gateway.closeCodes.length === 1);
  release();
  await fire(500);
  await scene.host.storedMessages(count);
  expect(logins()).toEqual(["identify", "resume"]);
  expect(scene.host.stored.map(({ text }) => text)).toEqual(Array.from({ length: count }, (_, number) => `message ${number}`));
});

test("a stop while a session is being stored logs no error", async () => {
  const release = scene.host.hold();
  await scene.start();
  await scene.channel.stop({ signal: AbortSignal.abort() });
  release();
  expect(scene.channel.health().state).toBe("stopped");
});

test("no session is begun when those of the day are used up", async () => {
  scene.discord.app.startsLeft = 5;
  await expect(scene.start()).rejects.toMatchObject({ code: "rate-limited", retry: { type: "after", delayMs: 3_600_000 } });
  expect(logins()).toEqual([]);
});

test("without the intent Message Content the channel works without it, and the health says so", async () => {
  scene.discord.app.readsContent = false;
  await scene.start();
  expect((scene.discord.gateway.logins[0]?.intents ?? 0) & CONTENT_INTENT).toBe(0);
  expect(scene.channel.health()).toMatchObject({ state: "degraded" });
  expect(scene.channel.health().detail).toContain("the intent Message Content is off");
});

test("the position after events that are not passed on is saved after some seconds, and on a stop", async () => {
  await scene.start();
  const first = await scene.host.cursor();
  await fire(5_000);
  const second = await scene.host.cursor();
  expect(second).not.toBe(first);
  scene.discord.gateway.dispatch("TYPING_START", {});
  scene.discord.gateway.send({ op: 1, d: null });
  await scene.discord.gateway.until(() => scene.discord.gateway.heartbeats.length === 1);
  await scene.channel.stop(soon());
  expect(Number(((await scene.host.cursor()) ?? "").split("/")[1])).toBeGreaterThan(Number((second ?? "").split("/")[1]));
});
