import { TestHost } from "@factotum/channel-conformance";
import { messageId } from "@factotum/channel-contract";
import type { Channel, Conversation, MsgContext } from "@factotum/channel-contract";
import { FakeSlack, ManualClock, slackEventBody, slackMessageEvent, slackRichText } from "@factotum/testing-channels";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createSlackChannel } from "../index.ts";

const { signal } = new AbortController();
let clock: ManualClock;
let slack: FakeSlack;
let host: TestHost;
let channel: Channel;

beforeEach(async () => {
  clock = new ManualClock();
  slack = await FakeSlack.start({ now: () => clock.now() });
  host = new TestHost({ clock });
  const { botToken, appToken } = slack.app;
  channel = createSlackChannel({ botToken, baseUrl: slack.baseUrl, transport: { type: "socket", appToken } }, host);
});
afterEach(async () => {
  await channel.stop({ signal });
  await slack[Symbol.asyncDispose]();
});

const message = (conversation: Conversation, extra: Partial<MsgContext> = {}): MsgContext => ({
  origin: { channel: "slack", accountId: "second", conversation },
  eventId: "Ev",
  messageId: messageId("9999999999.000000"),
  timestampMs: 0,
  event: { type: "message" },
  sender: { id: "U0ALICE", isBot: false },
  text: "Hello",
  mentionsBot: true,
  attachments: [],
  ...extra,
});
const GENERAL: Conversation = { kind: "channel", id: "C0GENERAL" };
const paths = (): readonly string[] => slack.requests.map(({ path }) => path);

test("names and the subject are fetched once, and again when they have expired", async () => {
  const expected = { senderName: "Alice", group: { subject: "#general", topic: "Everything" } };
  const all = await Promise.all(Array.from({ length: 10 }, async () => channel.fetchContext(message(GENERAL), { signal })));
  expect(all).toEqual(all.map(() => expected));
  expect(paths().toSorted()).toEqual(["/api/conversations.info", "/api/users.info"]);
  clock.advance(61 * 60_000);
  await channel.fetchContext(message(GENERAL), { signal });
  expect(paths()).toHaveLength(4);
});

describe("a thread", () => {
  test("is fetched when the bot has not written in it: its first message, and the others before the message", async () => {
    const root = slack.addMessage({ channel: "C0GENERAL", user: "U0BOB", ...slackRichText("The plan") });
    const file = slack.addFile({ name: "plan [v2].pdf", mimeType: "application/pdf", bytes: Buffer.from("x") });
    slack.addMessage({
      channel: "C0GENERAL",
      user: "U0ALICE",
      threadTs: root.ts,
      ...slackRichText("I agree", [{ type: "user", user_id: "U0BOB" }]),
      files: [file],
    });
    const asked = slack.addMessage({ channel: "C0GENERAL", user: "U0ALICE", threadTs: root.ts, text: "bot?" });
    const inThread = message({ ...GENERAL, threadId: root.ts }, { messageId: messageId(asked.ts) });
    expect((await channel.fetchContext(inThread, { signal })).thread).toMatchObject({
      starter: { sender: "Bob", body: "The plan" },
      history: [{ sender: "Alice", body: "I agree@Bob\n[file: plan_v2_.pdf]" }],
    });
    slack.addMessage({ channel: "C0GENERAL", user: slack.app.bot.userId, isOwn: true, threadTs: root.ts, text: "an answer" });
    const later = slack.addMessage({ channel: "C0GENERAL", user: "U0ALICE", threadTs: root.ts, text: "and?" });
    const known = message({ ...GENERAL, threadId: root.ts }, { messageId: messageId(later.ts) });
    expect(await channel.fetchContext(known, { signal })).not.toHaveProperty("thread");
  });
});

test("a missing scope is named in the health, and the message is not held up", async () => {
  slack.app.scopes.delete("users:read");
  expect(await channel.fetchContext(message({ kind: "direct", id: "D0ALICE" }), { signal })).toEqual({});
  expect(channel.health().detail).toContain("grant it users:read in the app settings");
});

test("an event waits a second for names at most, and shows the id then", async () => {
  await channel.start({ signal });
  const asked = Promise.withResolvers<void>();
  slack.failNextRead({ type: "hold" });
  const added = slack.addMessage({ channel: "C0GENERAL", user: "U0ALICE", ...slackRichText("ask ", [{ type: "user", user_id: "U0BOB" }]) });
  void slack.request(({ path }) => path === "/api/users.info").then(() => asked.resolve());
  const delivery = slack.socketMode.deliver("events_api", slackEventBody(slack.app, slackMessageEvent(slack.app, added)));
  await asked.promise;
  clock.advance(1_000);
  expect(await delivery).toBe("acknowledged");
  expect(host.received[0]).toMatchObject({ text: "ask @U0BOB", mentions: [{ id: "U0BOB", name: "U0BOB" }] });
});

describe("history", () => {
  test("is the newest messages, oldest first, with names", async () => {
    for (const text of ["one", "two", "three"]) slack.addMessage({ channel: "C0GENERAL", user: "U0BOB", text });
    const last = slack.addMessage({ channel: "C0GENERAL", user: "U0ALICE", text: "four" });
    const target = { channel: "slack", accountId: "second", conversation: GENERAL };
    expect(await channel.history?.(target, { signal, limit: 2 })).toMatchObject([
      { sender: "Bob", body: "three" },
      { sender: "Alice", body: "four" },
    ]);
    const before = await channel.history?.(target, { signal, limit: 2, before: messageId(last.ts) });
    expect(before?.map(({ body }) => body)).toEqual(["two", "three"]);
  });

  test("of a conversation that does not exist is refused", async () => {
    const target = { channel: "slack", accountId: "second", conversation: { kind: "channel", id: "C0NONE" } } as const;
    await expect(channel.history?.(target, { signal, limit: 2 })).rejects.toMatchObject({ code: "not-found" });
  });
});

test("probe names the bot and the scopes that it lacks", async () => {
  slack.app.scopes.delete("files:read");
  expect(await channel.probe?.({ signal })).toEqual({
    account: { id: "U0FACTOTUM", name: "factotum" },
    missingPermissions: ["files:read"],
  });
});

describe("the directory", () => {
  test("finds people and conversations by parts of their names, read once in ten minutes", async () => {
    expect(await channel.directory?.("ALI", { signal, limit: 10 })).toEqual([
      { type: "person", id: "U0ALICE", name: "Alice" },
      { type: "group", id: "G0GROUP", name: "mpdm-alice--bob--factotum-1" },
    ]);
    expect(await channel.directory?.("general", { signal, limit: 1 })).toEqual([{ type: "channel", id: "C0GENERAL", name: "general" }]);
    expect(paths().filter((path) => path === "/api/users.list")).toHaveLength(1);
    clock.advance(10 * 60_000);
    await channel.directory?.("x", { signal, limit: 1 });
    expect(paths().filter((path) => path === "/api/users.list")).toHaveLength(2);
  });

  test("reads all pages", async () => {
    for (let index = 0; index < 450; index += 1)
      slack.app.users.set(`U${index}X`, { id: `U${index}X`, name: `person${index}`, realName: `Person ${index}` });
    expect(await channel.directory?.("person 449", { signal, limit: 10 })).toMatchObject([{ id: "U449X" }]);
  });

  test.each([
    ["@alice", { kind: "direct", id: "U0ALICE" }],
    ["user:Bob", { kind: "direct", id: "U0BOB" }],
    ["#general", { kind: "channel", id: "C0GENERAL" }],
    ["channel:general", { kind: "channel", id: "C0GENERAL" }],
    ["user:U0BOB", { kind: "direct", id: "U0BOB" }],
    ["channel:D0ALICE", { kind: "direct", id: "D0ALICE" }],
    ["#alice", undefined],
  ])("%s leads to %j", async (query, conversation) => {
    expect((await channel.resolveTarget(query, { signal }))?.conversation).toEqual(conversation);
  });

  test("a name of two people leads to nobody", async () => {
    slack.app.users.set("U0ALICE2", { id: "U0ALICE2", name: "alice2", realName: "Alice" });
    expect(await channel.resolveTarget("user:Alice", { signal })).toBeUndefined();
  });
});
