import { describe, expect, test } from "vitest";
import { MessageEventSchema } from "./event-schema.ts";
import { parseMessage } from "./parse-message.ts";

const bot = { userId: "UBOT", botId: "BBOT", name: "factotum", teamId: "T1", scopes: [] };
const base = { type: "message", channel: "C1", channel_type: "channel", user: "U1", ts: "1767225600.000123", text: "Hello" };
const names = new Map([["U2", "Bob Miller"]]);

const parse = (event: object = {}) =>
  parseMessage(MessageEventSchema.parse({ ...base, ...event }), {
    eventId: "Ev1",
    accountId: "default",
    bot,
    kind: "channel",
    nowMs: 0,
    names,
  });

test("a message has its address, its time and the person", () => {
  expect(parse()).toEqual({
    origin: { channel: "slack", accountId: "default", conversation: { kind: "channel", id: "C1" } },
    eventId: "Ev1",
    messageId: "1767225600.000123",
    timestampMs: 1_767_225_600_000,
    event: { type: "message" },
    sender: { id: "U1", isBot: false },
    text: "Hello",
    mentionsBot: false,
    attachments: [],
    replyContext: { data: '{"user":"U1","team":"T1"}' },
  });
});

describe("threads", () => {
  test("a reply is in its thread, the first message is not", () => {
    expect(parse({ thread_ts: "1767225500.000001" })?.origin.conversation.threadId).toBe("1767225500.000001");
    expect(parse({ thread_ts: base.ts })?.origin.conversation).not.toHaveProperty("threadId");
  });
});

describe("mentions", () => {
  test("the bot's name at the start is removed, others are named", () => {
    expect(parse({ text: "<@UBOT> ask <@U2> and <@U3>" })).toMatchObject({
      text: "ask @Bob Miller and @U3",
      mentionsBot: true,
      mentions: [
        { id: "U2", name: "Bob Miller" },
        { id: "U3", name: "U3" },
      ],
    });
  });

  test("the bot's name elsewhere stays", () => {
    expect(parse({ text: "thanks <@UBOT>" })).toMatchObject({ text: "thanks @factotum", mentionsBot: true });
  });
});

test("files are references in their order, without deleted ones", () => {
  const files = [
    { id: "F1", name: "a.png", mimetype: "image/png", size: 3, mode: "hosted" },
    { id: "F2", mode: "tombstone" },
    { id: "F3", name: "v.m4a", mimetype: "audio/mp4", subtype: "slack_audio", size: 1 },
    { nothing: true },
  ];
  expect(parse({ subtype: "file_share", text: "", files })?.attachments).toEqual([
    { kind: "image", ref: '{"file":"F1"}', mimeType: "image/png", fileName: "a.png", sizeBytes: 3 },
    { kind: "audio", ref: '{"file":"F3"}', mimeType: "audio/mp4", fileName: "v.m4a", sizeBytes: 1, voice: true },
  ]);
});

test("a shared message is a forward, a linked one a note", () => {
  const attachments = [
    { is_share: true, is_msg_unfurl: true, author_name: "Carol", channel_name: "random", text: "Old <@U2> &amp; *news*" },
    { is_msg_unfurl: true, author_name: "Dan", text: "See this" },
  ];
  expect(parse({ text: "Look", attachments })).toMatchObject({
    text: "Look",
    forwarded: { from: "Carol", title: "#random", body: "Old @Bob Miller & **news**" },
    untrusted: [{ source: "linked message of Dan", text: "See this" }],
  });
});

test("a message of an integration is a bot's, with the text of its attachments", () => {
  const attachments = [{ fallback: "Deploy *failed*", text: "" }];
  expect(parse({ subtype: "bot_message", user: undefined, bot_id: "B9", username: "CI", text: "", attachments })).toMatchObject({
    sender: { id: "B9", name: "CI", isBot: true },
    text: "Deploy **failed**",
  });
});

test("a message without an author is ignored", () => {
  expect(parse({ user: null })).toBeUndefined();
});
