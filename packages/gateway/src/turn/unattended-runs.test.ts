import type { Clock } from "@factotum/agent-contract";
import type { FactotumConfig } from "@factotum/config";
import { isPrefixOf, startAnthropicServer, textReply, toolReply } from "@factotum/testing-providers";
import type { AnthropicServer } from "@factotum/testing-providers";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { realClock, startTestGateway, TestPlatform, withModel } from "../../test/gateway-harness.ts";
import type { TestGateway } from "../../test/gateway-harness.ts";

const SESSION = "agent:main:main";
const HALF_HOUR_MS = 30 * 60_000;

let server: AnthropicServer;
let platform: TestPlatform;
let offsetMs: number;
beforeEach(async () => {
  server = await startAnthropicServer();
  platform = new TestPlatform();
  offsetMs = 0;
});
afterEach(() => server[Symbol.asyncDispose]());

/** Wall-clock time is set by the test; deadlines run in real time. */
const clock: Clock = { ...realClock, now: () => Date.UTC(2026, 2, 2, 0, 5) + offsetMs };

const start = (change: (config: FactotumConfig) => FactotumConfig = (config) => config): Promise<TestGateway> =>
  startTestGateway({
    platform,
    clock,
    patch: (config) => {
      const base = withModel(server.baseUrl)(config);
      return change({ ...base, agents: base.agents.map((agent) => ({ ...agent, userTimezone: "UTC" })) });
    },
  });

/** Submits one heartbeat of the agent's main session, like a scheduler. */
async function beat(running: TestGateway): Promise<void> {
  await running.gateway.engine.submit(platform.message("Heartbeat. If there is nothing to report, answer only HEARTBEAT_OK."), {
    owner: true,
    kind: "heartbeat",
    sessionKey: SESSION,
  });
  await running.gateway.engine.idle();
}

async function say(running: TestGateway, text: string): Promise<string> {
  await platform.say(platform.message(text));
  await running.gateway.engine.idle();
  const last = platform.sent.at(-1)?.outbound;
  return last?.type === "text" ? last.text : "";
}

async function notices(running: TestGateway, pattern: RegExp): Promise<number> {
  const sessionId = (await running.store.readSession(SESSION))?.sessionId ?? "";
  const { items } = await running.store.readTranscript(sessionId, { limit: 500 });
  return items.filter((entry) => entry.type === "notice" && pattern.test(entry.text)).length;
}

const body = (index: number): NonNullable<AnthropicServer["requests"][number]["body"]> => server.requests.at(index)?.body ?? {};

describe("a heartbeat", () => {
  test("that has nothing to report sends nothing, and leaves the conversation byte-identical", async () => {
    server.script([
      textReply("Yes."),
      toolReply({ name: "ls", input: {} }),
      textReply("HEARTBEAT_OK"),
      textReply("Yes."),
      textReply("The backup failed."),
      textReply("Yes."),
    ]);
    await using running = await start();
    await say(running, "one");
    const before = await running.store.readSession(SESSION);
    offsetMs += 60_000;
    await beat(running);
    expect(platform.sent).toHaveLength(1);
    expect(JSON.stringify(body(-1))).toContain("Heartbeat.");
    expect(await running.store.readSession(SESSION)).toMatchObject({
      interactedAtMs: before?.interactedAtMs,
      lastOrigin: before?.lastOrigin,
    });
    await say(running, "two");
    expect(isPrefixOf(body(0), body(-1))).toBe(true);
    expect(isPrefixOf(body(0), body(1))).toBe(true);
    expect(JSON.stringify(body(-1))).not.toMatch(/HEARTBEAT_OK"|Heartbeat\. If/);
    const { items } = await running.store.readTranscript(before?.sessionId ?? "", { limit: 50 });
    expect(JSON.stringify(items)).toContain("HEARTBEAT_OK");
    // A heartbeat with something to report is delivered and stays.
    await beat(running);
    expect(platform.sent.at(-1)).toMatchObject({ outbound: { text: "The backup failed." } });
    await say(running, "three");
    expect(isPrefixOf(body(-2), body(-1))).toBe(true);
    expect(JSON.stringify(body(-1))).toContain("The backup failed.");
    expect(server.violations).toEqual([]);
  });

  test("every half hour for a day with a rejected key makes three calls and one notice to the owner, until a person's message succeeds", async () => {
    server.respond(() => ({ type: "error", errorType: "authentication_error", message: "invalid x-api-key" }));
    await using running = await start();
    await say(running, "one");
    expect(server.requests).toHaveLength(1);
    for (let count = 0; count < 48; count += 1) {
      offsetMs += HALF_HOUR_MS;
      await beat(running);
    }
    expect(server.requests.length - 1).toBeLessThanOrEqual(3);
    expect(await notices(running, /Unattended runs pause/)).toBe(1);
    expect(await notices(running, /./)).toBeLessThanOrEqual(1 + 3 + 1);
    expect(platform.sent).toHaveLength(2);
    expect(platform.sent[1]).toMatchObject({ outbound: { text: expect.stringContaining("Unattended runs pause") as string } });
    server.respond(() => textReply("Mended."));
    expect(await say(running, "two")).toBe("Mended.");
    // Unanswered heartbeats are not part of the conversation.
    expect(JSON.stringify(body(-1))).not.toContain("Heartbeat. If");
    await beat(running);
    expect(platform.sent.at(-1)).toMatchObject({ outbound: { text: "Mended." } });
  });

  test("over the cap is refused before anything is sent, and the next message of a person is answered", async () => {
    server.respond(({ body: sent }) => textReply(JSON.stringify(sent).includes("Heartbeat. If") ? "HEARTBEAT_OK" : "Yes."));
    await using running = await start((config) => ({
      ...config,
      spend: { ...config.spend, unattended: { tokensPerDay: 1000, usdPerDay: 2 } },
    }));
    await say(running, "one");
    await beat(running);
    const sent = server.requests.length;
    for (let count = 0; count < 3; count += 1) await beat(running);
    expect(server.requests).toHaveLength(sent);
    expect(await notices(running, /is used up for today/)).toBe(1);
    expect(platform.sent).toHaveLength(2);
    expect(platform.sent[1]).toMatchObject({ outbound: { text: expect.stringContaining("is used up for today") as string } });
    expect(await say(running, "two")).toBe("Yes.");
    offsetMs += 24 * 60 * 60_000;
    await beat(running);
    expect(server.requests).toHaveLength(sent + 2);
  });
});

test.each(["cron", "hook"] as const)("a queued %s run is dropped by a stop without a notice", async (kind) => {
  server.respond(() => textReply("Yes."));
  await using running = await start();
  const gate = server.hold();
  await platform.say(platform.message("one"));
  await server.nextRequest();
  const heard: string[] = [];
  const origin = { channel: "test", accountId: "default", conversation: { kind: "direct", id: "dm-2" } } as const;
  await running.gateway.engine.submit(
    platform.message("Look after the garden.", { origin }),
    { owner: true, kind, sessionKey: SESSION },
    {
      onClaimed: () => void heard.push("claimed"),
      onReport: () => void heard.push("report"),
      onAnswered: () => void heard.push("answered"),
      onSettled: (reason) => void heard.push(reason),
    },
  );
  await platform.say(platform.message("/stop"));
  gate.open();
  await running.gateway.engine.idle();
  expect(platform.sent.map(({ target }) => target.conversation.id)).toEqual(["dm-1"]);
  const [ignored] = (await running.store.listInputs({ state: "ignored", limit: 2 })).items;
  expect(ignored?.message.text).toBe("Look after the garden.");
  expect(heard).toEqual([ignored?.state.type === "ignored" ? ignored.state.reason : ""]);
  const { entries } = await running.gateway.engine.sessions.history(SESSION, { limit: 20 });
  expect(JSON.stringify(entries)).not.toContain("garden");
});

test("a model that repeats one call is stopped after five, and the person is notified", async () => {
  server.respond(() => toolReply({ name: "ls", input: {} }));
  await using running = await start();
  expect(await say(running, "look")).toContain("kept repeating");
  expect(server.requests).toHaveLength(5);
  expect(server.violations).toEqual([]);
});
