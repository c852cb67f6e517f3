import { withoutUndefined } from "@factotum/agent-contract";
import type { DamageEvent } from "@factotum/store";
import { startAnthropicServer, textReply } from "@factotum/testing-providers";
import type { AnthropicServer } from "@factotum/testing-providers";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startTestGateway, TestPlatform, withModel } from "../../test/gateway-harness.ts";
import type { TestGateway } from "../../test/gateway-harness.ts";

const MAIN = "agent:main:main";
const EVENT = { id: "d1", kind: "database", atMs: 0, count: 1, isComplete: false, text: "restored", path: "/x/damaged-1" } as const;

let model: AnthropicServer;
let platform: TestPlatform;
beforeEach(async () => {
  model = await startAnthropicServer();
  model.respond(() => textReply("Yes."));
  platform = new TestPlatform();
});
afterEach(() => model.close());

async function start(home?: string): Promise<TestGateway> {
  const accountConfig = { groupPolicy: "open" as const, groups: { "*": { requireMention: false } } };
  return startTestGateway({ platform, accountConfig, patch: withModel(model.baseUrl), ...withoutUndefined({ home }) });
}

/** Sends a message in a group, and resolves with the key of its session. */
async function sayIn(running: TestGateway, group: string): Promise<string> {
  const before = new Set(await keysOf(running));
  const origin = { channel: "test", accountId: "default", conversation: { kind: "group" as const, id: group } };
  await platform.say(platform.message("hello", { origin }));
  await running.gateway.engine.idle();
  return (await keysOf(running)).find((key) => !before.has(key)) ?? "";
}

async function keysOf({ store }: TestGateway): Promise<readonly string[]> {
  return (await store.listSessions({ limit: 50 })).items.map(({ key }) => key);
}

async function report({ gateway }: TestGateway, event: DamageEvent): Promise<void> {
  gateway.engine.reports.recovery(event);
  await gateway.engine.idle();
}

/** The notified chats, in order. */
const told = (): readonly string[] =>
  platform.sent.flatMap(({ target, outbound }) =>
    outbound.type === "text" && outbound.text === EVENT.text ? [target.conversation.id] : [],
  );

test("every session that may have lost something is notified in its chat, once, also across a restart", async () => {
  const first = await start();
  const [one, two] = [await sayIn(first, "one"), await sayIn(first, "two")];
  await sayIn(first, "three");
  const event = { ...EVENT, affected: [two, one] };
  await report(first, event);
  expect(told().toSorted()).toEqual(["one", "two"]);
  await report(first, event);
  await first.store.maintain({ nowMs: Date.now() + 1000, keepOutboxMs: 0 });
  await first.stop();

  await using second = await start(first.home);
  await report(second, event);
  expect(told()).toHaveLength(2);
  const session = await second.store.readSession(one);
  const { items } = await second.store.readTranscript(session?.sessionId ?? "", { limit: 20 });
  expect(items.filter(({ type }) => type === "notice")).toMatchObject([{ level: "error", text: EVENT.text }]);
});

test("a chat that several sessions used is notified once", async () => {
  await using running = await start();
  await platform.say(platform.message("hello"));
  await running.gateway.engine.idle();
  const { origin } = platform.message("the same chat");
  const key = "agent:other:main";
  const session = { key, sessionId: "other", agentId: "other", isPrivate: true, displayName: key };
  await running.store.createSession(session, { nowMs: 1 });
  const touch = { interactedAtMs: 1, lastOrigin: origin };
  const turn = { id: "t", session, touch, origin, kind: "user" as const, owner: true, inputIds: [], entries: [], startedAtMs: 1 };
  await running.store.startTurn(turn);
  await report(running, { ...EVENT, affected: [MAIN, key] });
  expect(told()).toEqual(["dm-1"]);
  expect((await running.store.readTranscript("other", { limit: 9 })).items).toMatchObject([{ type: "notice" }]);
});

test("an account without such a session is notified in the chat that was used last", async () => {
  await using running = await start();
  await sayIn(running, "one");
  const key = "agent:main:web:1";
  await running.store.createSession({ key, sessionId: "web", agentId: "main", isPrivate: true, displayName: key }, { nowMs: 1 });
  await report(running, { ...EVENT, affected: [key, "agent:main:gone"] });
  expect(told()).toEqual(["one"]);
  expect((await running.store.readTranscript("web", { limit: 9 })).items).toMatchObject([{ type: "notice" }]);
});
