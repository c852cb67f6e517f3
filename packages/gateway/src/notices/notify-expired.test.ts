import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Clock } from "@factotum/agent-contract";
import type { Origin, SendReceipt } from "@factotum/channel-contract";
import type { NewOutbound, OutboxRecord } from "@factotum/store";
import { startAnthropicServer, textReply } from "@factotum/testing-providers";
import { afterEach, beforeEach, expect, test } from "vitest";
import { realClock, startTestGateway, TestPlatform, withModel } from "../../test/gateway-harness.ts";
import type { TestGateway } from "../../test/gateway-harness.ts";
import { EXPIRED_REASON } from "../delivery/expired-row.ts";

const FUTURE_MS = Date.now() + 3_600_000;

let platform: TestPlatform;
let running: TestGateway;
beforeEach(() => {
  platform = new TestPlatform();
});
afterEach(() => running[Symbol.asyncDispose]());

function origin(id: string): Origin {
  return { channel: "test", accountId: "default", conversation: { kind: "direct", id } };
}

function row(text: string, extra: Partial<NewOutbound> = {}): NewOutbound {
  return {
    sessionKey: "agent:main:main",
    target: origin("dm-1"),
    outbound: { type: "text", text },
    purpose: "reply",
    idempotencyKey: `key of ${text}`,
    dueAtMs: Date.now(),
    expiresAtMs: FUTURE_MS,
    state: "waiting",
    ...extra,
  };
}

/** Rows that ran out of time some time ago. */
async function expire(...rows: readonly NewOutbound[]): Promise<void> {
  const added = await running.store.addOutbound(rows);
  await Promise.all(
    added.map(({ id }) => running.store.settleOutbound(id, { type: "dead", reason: EXPIRED_REASON }, { nowMs: Date.now() })),
  );
}

async function dispatch(...rows: readonly NewOutbound[]): Promise<readonly OutboxRecord[]> {
  const added = await running.store.addOutbound(rows);
  running.gateway.engine.parts.dispatcher.dispatch(added);
  return added;
}

/** Texts sent to a conversation. */
const sentTo = (id: string): readonly string[] =>
  platform.sent.flatMap(({ target, outbound }) => (target.conversation.id === id && outbound.type === "text" ? [outbound.text] : []));

const notice = (count: string) => expect.stringContaining(`${count} of mine ran out of time`) as string;

test("a conversation is notified regardless of newer dead letters of others", async () => {
  running = await startTestGateway({ platform });
  await expire(row("for the first", { target: origin("dm-first") }));
  const others = Array.from({ length: 250 }, (_, index) => row(`other ${index}`, { target: origin("dm-other") }));
  for (let from = 0; from < others.length; from += 50) await expire(...others.slice(from, from + 50));
  await dispatch(row("it works again"));
  await expect.poll(() => sentTo("dm-first")).toEqual([notice("a message")]);
  await expect.poll(() => sentTo("dm-other")).toEqual([notice("250 messages")]);
});

test("messages that expired a week ago are not reported any more", async () => {
  running = await startTestGateway({ platform });
  const [old] = await running.store.addOutbound([row("old", { target: origin("dm-old") })]);
  const weekAgoMs = Date.now() - 8 * 24 * 3_600_000;
  await running.store.settleOutbound(old?.id ?? "", { type: "dead", reason: EXPIRED_REASON }, { nowMs: weekAgoMs });
  await expire(row("young", { target: origin("dm-young") }));
  await dispatch(row("it works again"));
  await expect.poll(() => sentTo("dm-young")).toEqual([notice("a message")]);
  await running.gateway.engine.idle();
  expect(sentTo("dm-old")).toEqual([]);
});

test("an expired notice is not reported as a lost message", async () => {
  running = await startTestGateway({ platform });
  await expire(row("a notice", { purpose: "notice", target: origin("dm-notice") }), row("an answer", { target: origin("dm-answer") }));
  await dispatch(row("it works again"));
  await expect.poll(() => sentTo("dm-answer")).toEqual([notice("a message")]);
  await running.gateway.engine.idle();
  expect(sentTo("dm-notice")).toEqual([]);
});

test("a rejected notice is not reported as a lost message", async () => {
  running = await startTestGateway({ platform });
  platform.answer = (outbound) =>
    outbound.type === "text" && outbound.text.startsWith("bad")
      ? { type: "rejected", code: "rejected", retry: { type: "never" }, message: "bad words" }
      : undefined;
  await dispatch(row("bad notice", { purpose: "notice", target: origin("dm-notice") }));
  await running.gateway.engine.idle();
  await dispatch(row("bad answer", { target: origin("dm-answer") }));
  await expect.poll(() => sentTo("dm-answer")).toEqual([expect.stringContaining("could not be sent here")]);
  expect(sentTo("dm-notice")).toEqual([]);
});

test("one notice covers all messages of a conversation that expire together, after the last of them", async () => {
  running = await startTestGateway({ platform });
  await dispatch(row("it works"));
  await platform.waitForSends(1);
  await running.gateway.engine.idle();
  await dispatch(...["one", "two", "three"].map((text) => row(text, { expiresAtMs: 1 })));
  await expect.poll(() => sentTo("dm-1")).toEqual(["it works", notice("3 messages")]);
  await running.gateway.engine.idle();
  expect(sentTo("dm-1")).toHaveLength(2);
});

test("a message that waits for its rejected account is sent as soon as the account's channel has restarted", async () => {
  const WRONG_SECRET: SendReceipt = { type: "rejected", code: "unauthorized", retry: { type: "never" }, message: "app secret invalid" };
  // No timer fires, so what is sent is caused by the start.
  let isFrozen = false;
  const clock: Clock = {
    ...realClock,
    schedule: (delayMs, callback) => realClock.schedule(delayMs, () => (isFrozen ? undefined : callback())),
  };
  const accounts = [platform.account()];
  running = await startTestGateway({ accounts, clock });
  isFrozen = true;
  platform.answer = () => WRONG_SECRET;
  await dispatch(row("late"));
  await expect.poll(async () => (await running.gateway.status()).channels[0]?.state).toBe("degraded");
  platform.answer = () => undefined;
  accounts.splice(0, 1, platform.account({ settings: { appSecret: "another" } }));
  await running.gateway.reload(running.settings(running.gateway.engine.parts.running.config));
  await expect.poll(() => sentTo("dm-1")).toEqual(["late"]);
});

const WRONG_SECRET: SendReceipt = { type: "rejected", code: "unauthorized", retry: { type: "never" }, message: "app secret invalid" };
const TIME = String.raw`\d{4}-\d\d-\d\d \d\d:\d\d UTC`;

/** The notice in a chat that accepts messages again, after this many answers have expired. */
async function toldOf(count: number, answer: (index: number) => string): Promise<string> {
  await using server = await startAnthropicServer();
  server.respond(({ index }) => textReply(index < count ? answer(index) : "Here I am."));
  platform.answer = () => WRONG_SECRET;
  const patch = withModel(server.baseUrl);
  const first = await startTestGateway({ platform, patch });
  for (let index = 0; index < count; index += 1) {
    await platform.say(platform.message(`question ${index}`));
    await expect.poll(async () => (await first.gateway.status()).outbox.blocked).toMatchObject([{ waiting: index + 1 }]);
  }
  await first.stop();
  const database = new DatabaseSync(path.join(first.home, "state", "factotum.sqlite"));
  expect(database.prepare("UPDATE outbox SET expires_at = 1 WHERE state IN ('waiting', 'sending')").run().changes).toBe(count);
  database.close();

  running = await startTestGateway({ platform, home: first.home, patch });
  await expect.poll(async () => (await running.gateway.status()).outbox).toMatchObject({ waiting: 0, deadLettered: count });
  platform.answer = () => undefined;
  await platform.say(platform.message("are you there?"));
  await platform.waitForSends(2);
  const told = platform.sent[1]?.outbound;
  return told?.type === "text" ? told.text : "";
}

test("one message that ran out of time is quoted in one line, cut", async () => {
  const told = await toldOf(1, () => `The answer\n\n${"is long ".repeat(20)}`);
  const [intro, quote = "", outro] = told.split("\n");
  expect(intro).toBe("I could not send here for a while, and a message of mine ran out of time:");
  expect(quote).toMatch(new RegExp(`^- ${TIME}: The answer is long is long .*…$`));
  expect(quote.length).toBeLessThanOrEqual("- 2026-01-01 00:00 UTC: ".length + 80);
  expect(outro).toBe("Please ask again if you still need it.");
});

test("of many messages the oldest five are quoted, and the others counted", async () => {
  const told = await toldOf(7, (index) => `Answer ${index}.`);
  expect(told.replaceAll(new RegExp(TIME, "g"), "TIME").split("\n")).toEqual([
    "I could not send here for a while, and 7 messages of mine ran out of time:",
    ...[0, 1, 2, 3, 4].map((index) => `- TIME: Answer ${index}.`),
    "- and 2 more",
    "Please ask again if you still need it.",
  ]);
});
