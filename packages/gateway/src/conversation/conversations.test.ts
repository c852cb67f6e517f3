import { randomUUID } from "node:crypto";
import type { FactotumConfig, ResetConfig } from "@factotum/config";
import { startAnthropicServer, textReply, toolReply } from "@factotum/testing-providers";
import type { AnthropicServer } from "@factotum/testing-providers";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { withoutUndefined } from "@factotum/agent-contract";
import { realClock, startTestGateway, TestPlatform, withModel } from "../../test/gateway-harness.ts";
import type { TestGateway } from "../../test/gateway-harness.ts";
import { TestClient } from "../../test/test-client.ts";

const SESSION = "agent:main:main";
const HOUR_MS = 3_600_000;

let server: AnthropicServer;
let platform: TestPlatform;
let nowMs: number;
const clock = { ...realClock, now: () => nowMs };
beforeEach(async () => {
  server = await startAnthropicServer();
  server.respond(() => textReply("Yes."));
  platform = new TestPlatform();
  nowMs = Date.UTC(2026, 2, 10, 12);
});
afterEach(() => server[Symbol.asyncDispose]());

type SessionPatch = Partial<FactotumConfig["session"]>;

const DAILY: ResetConfig = { mode: "daily", atHour: 4 };

function start(session: SessionPatch = { reset: DAILY }, home?: string): Promise<TestGateway> {
  return startTestGateway({
    platform,
    clock,
    accountConfig: { groups: { "group-1": { requireMention: false } } },
    ...withoutUndefined({ home }),
    patch: (config) => {
      const base = withModel(server.baseUrl)(config);
      return {
        ...base,
        agents: base.agents.map((agent) => ({ ...agent, userTimezone: "UTC" })),
        session: { ...base.session, ...session },
      };
    },
  });
}

async function say(running: TestGateway, text: string, extra: Parameters<TestPlatform["message"]>[1] = {}): Promise<void> {
  await platform.say(platform.message(text, extra));
  await running.gateway.engine.idle();
}

const lastRequest = (): string => JSON.stringify(server.requests.at(-1)?.body?.["messages"]);

async function sessionId(running: TestGateway, key = SESSION): Promise<string> {
  const session = await running.store.readSession(key);
  if (session === undefined) throw new Error(`there is no session ${key}`);
  return session.sessionId;
}

describe("the first message of a person after four in the morning", () => {
  test("starts a new conversation; no one is notified, and the old one can still be read and exported", async () => {
    await using running = await start();
    await say(running, "remember the number 7711");
    const before = await sessionId(running);
    const events: string[] = [];
    using _watch = running.gateway.engine.parts.events.subscribe(SESSION, ({ type }) => void events.push(type));
    nowMs += 16 * HOUR_MS;
    await say(running, "good morning");
    const after = await sessionId(running);
    expect(after).not.toBe(before);
    expect(lastRequest()).toContain("good morning");
    expect(lastRequest()).not.toContain("7711");
    expect(platform.sent.map(({ outbound }) => outbound)).toMatchObject([{ text: "Yes." }, { text: "Yes." }]);
    expect(events.filter((type) => type !== "queue-change").slice(0, 2)).toEqual(["reset", "entry"]);
    const old = [];
    for await (const entry of running.store.exportTranscript(before)) old.push(entry);
    expect(JSON.stringify(old)).toContain("7711");
    expect((await running.store.readTranscript(before, { limit: 10 })).items).toHaveLength(2);
    expect(running.logger.lines.filter((line) => line.includes("was reset automatically"))).toMatchObject([
      expect.stringContaining('"daily"'),
    ]);
    expect(server.violations).toEqual([]);
  });

  test("lists and counters are the new one's, settings stay, and the rest of the day continues in it", async () => {
    await using running = await start();
    await say(running, "one");
    await say(running, "/think high");
    nowMs += 24 * HOUR_MS;
    await say(running, "two");
    const { sessions } = running.gateway.engine;
    const day = await sessionId(running);
    const { sessions: listed } = await sessions.list({});
    expect(listed).toHaveLength(1);
    const record = await running.store.readSession(SESSION);
    expect(listed[0]).toMatchObject({ key: SESSION, sessionId: day, totalTokens: record?.usage.total ?? 0 });
    expect(record).toMatchObject({ startedAtMs: nowMs, usage: { calls: 1 }, overrides: { thinking: "high" } });
    expect((await sessions.history(SESSION, { limit: 10 })).entries).toHaveLength(2);
    nowMs += 12 * HOUR_MS;
    await say(running, "three");
    expect(await sessionId(running)).toBe(day);
    expect(lastRequest()).toContain("two");
    await say(running, "/status");
    const used = (await running.store.readSession(SESSION))?.usage.total ?? 0;
    expect(platform.sent.at(-1)?.outbound).toMatchObject({ text: expect.stringContaining(`; ${used} tokens used in all`) as string });
  });

  test("what is sent after a restart", async () => {
    const first = await start();
    await say(first, "one");
    const before = await sessionId(first);
    await first.stop();
    nowMs += 24 * HOUR_MS;
    await using second = await start({ reset: DAILY }, first.home);
    await say(second, "two");
    expect(await sessionId(second)).not.toBe(before);
    expect(lastRequest()).not.toContain("one");
  });
});

test("a running turn is not reset; messages that waited since before the hour belong to it, later ones do not", async () => {
  await using running = await start({ reset: { mode: "daily", atHour: 13 } });
  server.script([toolReply({ name: "ls", input: { path: "." } }), textReply("One."), textReply("Two."), textReply("Three.")]);
  const gate = server.hold();
  await platform.say(platform.message("one"));
  await server.nextRequest();
  const before = await sessionId(running);
  await running.store.patchSession(SESSION, { overrides: { queue: { mode: "followup" } } }, { nowMs });
  await platform.say(platform.message("two"));
  nowMs += 2 * HOUR_MS;
  await platform.say(platform.message("three"));
  gate.open();
  await running.gateway.engine.idle();
  expect(platform.sent.map(({ outbound }) => outbound)).toMatchObject([{ text: "One." }, { text: "Two." }, { text: "Three." }]);
  const requests = server.requests.map(({ body }) => JSON.stringify(body?.["messages"]));
  expect(requests[2]).toMatch(/one.*two/);
  expect(requests[3]).toContain("three");
  expect(requests[3]).not.toContain("two");
  expect(await sessionId(running)).not.toBe(before);
  for (const state of ["waiting", "claimed"] as const) expect((await running.store.listInputs({ state, limit: 1 })).items).toEqual([]);
});

describe("idle", () => {
  const reset: ResetConfig = { mode: "idle", atHour: 4, idleMinutes: 30 };

  test("counts from the last activity of either side: a reply to an hour-long run continues it", async () => {
    await using running = await start({ reset });
    const gate = server.hold();
    await platform.say(platform.message("one"));
    await server.nextRequest();
    nowMs += HOUR_MS;
    gate.open();
    await running.gateway.engine.idle();
    const before = await sessionId(running);
    nowMs += HOUR_MS / 2;
    await say(running, "two");
    expect(await sessionId(running)).toBe(before);
    nowMs += HOUR_MS / 2 + 1;
    await say(running, "three");
    expect(await sessionId(running)).not.toBe(before);
  });

  test.each(["heartbeat", "cron", "hook", "subagent"] as const)("a %s run neither refreshes a conversation nor ends it", async (kind) => {
    await using running = await start({ reset });
    const { engine } = running.gateway;
    await say(running, "one");
    const before = await sessionId(running);
    nowMs += HOUR_MS;
    await engine.submit(platform.message("look after things"), { owner: true, kind, sessionKey: SESSION });
    await engine.idle();
    expect(await sessionId(running)).toBe(before);
    expect(lastRequest()).toContain("look after things");
    nowMs += 60_000;
    await say(running, "two");
    expect(await sessionId(running)).not.toBe(before);
    expect(lastRequest()).not.toContain("look after things");
  });

  test("a command neither refreshes a conversation nor ends it", async () => {
    await using running = await start({ reset });
    await say(running, "one");
    const before = await sessionId(running);
    nowMs += HOUR_MS;
    await say(running, "/status");
    expect(await sessionId(running)).toBe(before);
    await say(running, "two");
    expect(await sessionId(running)).not.toBe(before);
  });
});

test("the channel's policy takes precedence over the type's, that over the base; a group's facts are sent again", async () => {
  const group = { channel: "test", accountId: "default", conversation: { kind: "group" as const, id: "group-1" } };
  const said = { origin: group, group: { subject: "Sailors", topic: "knots" } } as const;
  const idle: ResetConfig = { mode: "idle", atHour: 4, idleMinutes: 5 };
  const byType = await start({ reset: { mode: "none", atHour: 4 }, resetByType: { group: idle } });
  const key = "agent:main:test:group:group-1";
  await say(byType, "one");
  await say(byType, "one", said);
  expect(lastRequest()).toContain("Sailors");
  const before = [await sessionId(byType), await sessionId(byType, key)];
  nowMs += HOUR_MS;
  await say(byType, "two");
  await say(byType, "two", said);
  expect(await sessionId(byType)).toBe(before[0]);
  expect(await sessionId(byType, key)).not.toBe(before[1]);
  expect(lastRequest()).toContain("Sailors");
  await byType.stop();
  const between = await sessionIdAfterRestart(key, byType.home, said);
  expect(between.after).toBe(between.before);
});

/** With a policy of the channel that never resets. */
async function sessionIdAfterRestart(
  key: string,
  home: string,
  said: Parameters<TestPlatform["message"]>[1],
): Promise<{ readonly before: string; readonly after: string }> {
  await using running = await start(
    { resetByType: { group: { mode: "idle", atHour: 4, idleMinutes: 5 } }, resetByChannel: { test: { mode: "none", atHour: 4 } } },
    home,
  );
  const before = await sessionId(running, key);
  nowMs += 48 * HOUR_MS;
  await say(running, "three", said);
  return { before, after: await sessionId(running, key) };
}

test("a conversation created by a command is not named after the command", async () => {
  await using running = await start();
  await say(running, "/think high");
  expect((await running.store.readSession(SESSION))?.displayName).not.toContain("/think");
});

test("a conversation of the gateway's own client is named after the first text sent in it, also after a command and a reset", async () => {
  const KEY = "agent:main:chat-1";
  await using running = await startTestGateway({ patch: withModel(server.baseUrl) });
  using client = await TestClient.connect(running.gateway.url, running.token);
  const ask = async (message: string): Promise<string | undefined> => {
    await client.call("agent", { message, sessionKey: KEY, idempotencyKey: randomUUID() });
    return (await running.store.readSession(KEY))?.displayName;
  };
  await ask("/status");
  expect(await ask("Plan a week in Kyoto")).toBe("Plan a week in Kyoto");
  expect(await ask("And the costs?")).toBe("Plan a week in Kyoto");
  await ask("/new");
  expect(await ask("Bread without yeast")).toBe("Bread without yeast");
});
