import { TestHost } from "@factotum/channel-conformance";
import { messageId } from "@factotum/channel-contract";
import type { Channel, Conversation, Media, MessageId, Outbound, SendOptions, SendReceipt } from "@factotum/channel-contract";
import { FakeSlack, ManualClock } from "@factotum/testing-channels";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createSlackChannel } from "../index.ts";

const { signal } = new AbortController();
const DM: Conversation = { kind: "direct", id: "D0ALICE" };
const GENERAL: Conversation = { kind: "channel", id: "C0GENERAL" };
const READER = JSON.stringify({ user: "U0ALICE", team: "T0TEAM" });
let slack: FakeSlack;
let channel: Channel;

beforeEach(async () => {
  slack = await FakeSlack.start();
  const { botToken, appToken } = slack.app;
  channel = createSlackChannel({ botToken, baseUrl: slack.baseUrl, transport: { type: "socket", appToken } }, new TestHost());
});
afterEach(async () => {
  await channel.stop({ signal });
  await slack[Symbol.asyncDispose]();
});

let keys = 0;
async function send(conversation: Conversation, outbound: Outbound, options: Partial<SendOptions> = {}): Promise<SendReceipt> {
  keys += 1;
  const target = { channel: "slack", accountId: "second", conversation };
  return channel.send(target, outbound, { signal, idempotencyKey: `key-${keys}`, ...options });
}
async function sent(conversation: Conversation, outbound: Outbound, options: Partial<SendOptions> = {}): Promise<MessageId> {
  const receipt = await send(conversation, outbound, options);
  if (receipt.type !== "accepted") throw new Error(JSON.stringify(receipt));
  return receipt.messageIds[0] ?? messageId("");
}
const calls = (): readonly string[] => slack.requests.map(({ path }) => path.replace("/api/", ""));
const file = (name: string): Media => ({ kind: "file", mimeType: "text/plain", fileName: name, bytes: Buffer.from(name) });

test("a person's id opens the direct chat, once", async () => {
  await sent({ kind: "direct", id: "U0BOB" }, { type: "text", text: "Hi" });
  await sent({ kind: "direct", id: "U0BOB" }, { type: "text", text: "again" });
  expect(slack.sent.map(({ channel: id }) => id)).toEqual(["D0BOB", "D0BOB"]);
  expect(calls().filter((path) => path === "conversations.open")).toHaveLength(1);
});

test("an edit to a long text becomes sections, and one back to a short text has none", async () => {
  const targetId = await sent(DM, { type: "text", text: "short" });
  await sent(DM, { type: "edit", targetId, text: "& ".repeat(1_900) });
  expect(slack.sent[0]?.blocks.length).toBeGreaterThan(1);
  await sent(DM, { type: "edit", targetId, text: "short again" });
  expect(slack.sent[0]).toMatchObject({ text: "short again", blocks: [] });
});

describe("cards", () => {
  const card = { body: "Sure?", buttons: [{ actionId: "yes", label: "Yes", style: "primary" }] } as const;

  test("are sent, and replaced", async () => {
    const targetId = await sent(GENERAL, { type: "card", card });
    expect(slack.sent[0]?.blocks).toHaveLength(2);
    await sent(GENERAL, { type: "edit-card", targetId, card: { body: "Done" } });
    expect(slack.sent[0]?.blocks).toEqual([{ type: "section", text: { type: "mrkdwn", text: "Done" } }]);
  });

  test("over a limit are refused without a request", async () => {
    const buttons = Array.from({ length: 26 }, () => card.buttons[0]);
    expect(await send(GENERAL, { type: "card", card: { body: "x", buttons } })).toMatchObject({
      code: "too-long",
      retry: { type: "never" },
    });
    expect(slack.requests).toEqual([]);
  });
});

test("an ephemeral text is shown to one person", async () => {
  await sent(GENERAL, { type: "text", text: "psst", onlyFor: "U0ALICE" });
  await sent(GENERAL, { type: "card", card: { body: "psst" }, onlyFor: "U0ALICE" });
  expect(slack.sent.map(({ ephemeralFor }) => ephemeralFor)).toEqual(["U0ALICE", "U0ALICE"]);
});

describe("files", () => {
  test("an album is one message with its caption, in its thread", async () => {
    const root = slack.addMessage({ channel: "C0GENERAL", user: "U0ALICE", text: "root" });
    const thread = { ...GENERAL, threadId: root.ts };
    const id = await sent(thread, { type: "album", media: [file("a.txt"), file("b.txt")], caption: "**Both**" });
    expect(slack.sent).toMatchObject([{ ts: id, threadTs: root.ts, text: "*Both*", files: [{ name: "a.txt" }, { name: "b.txt" }] }]);
  });

  test("a file that is not shown in time is named by its own id, and can be deleted", async () => {
    const clock = new ManualClock();
    const { botToken, appToken } = slack.app;
    const other = createSlackChannel(
      { botToken, baseUrl: slack.baseUrl, transport: { type: "socket", appToken } },
      new TestHost({ clock }),
    );
    slack.hidesShares = true;
    const target = { channel: "slack", accountId: "second", conversation: DM };
    const sending = other.send(target, { type: "media", media: file("a.txt") }, { signal, idempotencyKey: "k" });
    for (let asked = 1; asked <= 5; asked += 1) {
      await slack.request(() => calls().filter((path) => path === "files.info").length >= asked);
      // The request's own limit is gone, and the pause is there.
      while (asked < 5 && !clock.pending.some((ms) => ms <= 2_000)) await new Promise((resolve) => setImmediate(resolve));
      clock.advance(2_000);
    }
    const receipt = await sending;
    expect(receipt).toMatchObject({ type: "accepted", messageIds: [expect.stringMatching(/^F/) as string] });
    const [targetId = messageId("")] = receipt.type === "accepted" ? receipt.messageIds : [];
    await sent(DM, { type: "delete", targetId });
    expect(calls()).toContain("files.delete");
    await other.stop({ signal });
  });

  test("a lost answer of the last step is ambiguous, an empty file refused", async () => {
    slack.failNext({ type: "accept-then-drop" });
    expect(await send(DM, { type: "media", media: file("a.txt") })).toMatchObject({ type: "ambiguous" });
    expect(await send(DM, { type: "media", media: { ...file("a"), bytes: new Uint8Array() } })).toMatchObject({ code: "rejected" });
  });
});

describe("streams", () => {
  const steps = ["Hello", "Hello <!channel>", "Hello <!channel> world"];

  async function stream(conversation: Conversation, options: Partial<SendOptions>): Promise<SendReceipt> {
    let targetId: MessageId | undefined;
    let receipt: SendReceipt = { type: "ambiguous", cause: "" };
    for (const [index, text] of steps.entries()) {
      const added = text.slice((steps[index - 1] ?? "").length);
      const isLast = index === steps.length - 1;
      receipt = await send(conversation, { type: "stream", text, added, isLast, ...(targetId !== undefined && { targetId }) }, options);
      if (receipt.type !== "accepted") return receipt;
      [targetId] = receipt.messageIds;
    }
    return receipt;
  }

  test("grow in a channel for the person who is answered, and end", async () => {
    expect(await stream(GENERAL, { replyContext: READER })).toMatchObject({ type: "accepted" });
    expect(slack.sent).toMatchObject([{ text: "Hello <\u200B!channel> world", stream: "ended" }]);
    expect(calls()).toEqual(["chat.startStream", "chat.appendStream", "chat.stopStream"]);
  });

  test("grow in the thread of a direct chat", async () => {
    const root = slack.addMessage({ channel: "D0ALICE", user: "U0ALICE", text: "root" });
    expect(await stream({ ...DM, threadId: root.ts }, {})).toMatchObject({ type: "accepted" });
  });

  test.each([
    ["in a direct chat outside a thread", DM, { replyContext: READER }],
    ["without a known reader", GENERAL, {}],
  ])("are edits where the platform has none: %s", async (_, conversation, options) => {
    expect(await stream(conversation, options)).toMatchObject({ type: "accepted" });
    expect(slack.sent).toMatchObject([{ text: "Hello &lt;!channel&gt; world", edits: 2 }]);
    expect(calls()).toEqual(["chat.postMessage", "chat.update", "chat.update"]);
  });

  test("are ended before the message is edited", async () => {
    const targetId = await sent(GENERAL, { type: "stream", text: "a", added: "a", isLast: false }, { replyContext: READER });
    await sent(GENERAL, { type: "edit", targetId, text: "the whole answer" });
    expect(slack.sent).toMatchObject([{ text: "the whole answer", stream: "ended" }]);
  });

  test("send long steps in parts", async () => {
    const text = "x".repeat(25_000);
    await sent(GENERAL, { type: "stream", text, added: text, isLast: true }, { replyContext: READER });
    expect(slack.sent[0]?.text).toHaveLength(25_000);
    expect(calls()).toEqual(["chat.startStream", "chat.appendStream", "chat.appendStream", "chat.stopStream"]);
  });
});

describe("a command given where the bot is not", () => {
  const outside: Conversation = { kind: "channel", id: "C0OUTSIDE" };
  const context = (): string => JSON.stringify({ user: "U0ALICE", team: "T0TEAM", responseUrl: slack.responseUrl });

  test("is answered at its response address, to the person alone", async () => {
    expect(await send(outside, { type: "text", text: "**Hi**" }, { replyContext: context() })).toEqual({
      type: "accepted",
      messageIds: [],
    });
    expect(slack.responses).toEqual([{ response_type: "ephemeral", replace_original: "false", text: "*Hi*" }]);
  });

  test("is refused without a response address, or for somebody else", async () => {
    expect(await send(outside, { type: "text", text: "Hi" })).toMatchObject({ code: "not-found" });
    const other = { type: "text", text: "Hi", onlyFor: "U0BOB" } as const;
    expect(await send(outside, other, { replyContext: context() })).toMatchObject({ code: "not-found" });
    expect(slack.responses).toEqual([]);
  });
});

describe("reactions", () => {
  test("are known by their emoji and by their names", async () => {
    const targetId = await sent(DM, { type: "text", text: "x" });
    for (const emoji of ["👍🏽", ":shipit:", "❤️", "tada"]) await sent(DM, { type: "reaction", targetId, emoji, removed: false });
    expect(slack.sent[0]?.reactions.map(({ name }) => name)).toEqual(["+1", "shipit", "heart", "tada"]);
    await sent(DM, { type: "reaction", targetId, emoji: "👍", removed: false });
  });

  test("that the platform does not have are refused", async () => {
    const reaction = { type: "reaction", targetId: messageId("1.0"), emoji: "👍👍", removed: false } as const;
    expect(await send(DM, reaction)).toMatchObject({ code: "rejected", retry: { type: "never" } });
  });
});

describe("reconcile", () => {
  const text: Outbound = { type: "text", text: "Hello" };
  const reconcile = async (conversation: Conversation, outbound: Outbound, idempotencyKey: string) =>
    channel.reconcile?.({ channel: "slack", accountId: "second", conversation }, outbound, {
      signal,
      idempotencyKey,
      sentAtMs: Date.now(),
    });

  test("finds a text whose answer was lost, also in a thread, and one that is not shown", async () => {
    const root = slack.addMessage({ channel: "C0GENERAL", user: "U0ALICE", text: "root" });
    for (const conversation of [GENERAL, { ...GENERAL, threadId: root.ts }]) {
      slack.failNext({ type: "accept-then-drop" });
      expect(await send(conversation, text, { idempotencyKey: "lost" })).toMatchObject({ type: "ambiguous" });
      expect(await reconcile(conversation, text, "lost")).toEqual({ type: "shown", messageIds: [slack.sent.at(-1)?.ts] });
      expect(await reconcile(conversation, text, "never-sent")).toEqual({ type: "not-shown" });
    }
  });

  test("does not know of files, nor without permission", async () => {
    expect(await reconcile(DM, { type: "media", media: file("a") }, "k")).toEqual({ type: "unknown" });
    slack.app.scopes.clear();
    expect(await reconcile(DM, text, "k")).toEqual({ type: "unknown" });
  });
});
