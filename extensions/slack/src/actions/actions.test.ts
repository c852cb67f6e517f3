import { TestHost } from "@factotum/channel-conformance";
import type { ActionName, Channel } from "@factotum/channel-contract";
import { FakeSlack } from "@factotum/testing-channels";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createSlackChannel } from "../index.ts";

const { signal } = new AbortController();
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

const act = async (name: ActionName, parameters: Readonly<Record<string, unknown>> = {}) => {
  const target = { channel: "slack", accountId: "second", conversation: { kind: "channel", id: "C0GENERAL" } } as const;
  return (await channel.act({ name, target, parameters }, { signal })).value;
};

test("pin, pins-list and unpin, each also twice", async () => {
  const { ts } = slack.addMessage({ channel: "C0GENERAL", user: "U0ALICE", text: "Keep *this*" });
  for (let count = 0; count < 2; count += 1) expect(await act("pin", { messageId: ts })).toEqual({});
  const message = { messageId: ts, sender: "Alice", timestampMs: Math.floor(Number(ts) * 1_000), text: "Keep **this**" };
  expect(await act("pins-list")).toEqual({ messages: [message] });
  for (let count = 0; count < 2; count += 1) expect(await act("unpin", { messageId: ts })).toEqual({});
  expect(await act("pins-list")).toEqual({ messages: [] });
});

test("read gives the newest messages, oldest first, with names", async () => {
  const all = ["one", "two", "three"].map((text) => slack.addMessage({ channel: "C0GENERAL", user: "U0BOB", text }));
  expect(await act("read", { limit: 2 })).toMatchObject({ messages: [{ text: "two" }, { text: "three", sender: "Bob" }] });
  expect(await act("read", { before: all[2]?.ts })).toMatchObject({ messages: [{ text: "one" }, { text: "two" }] });
});

test("reactions-list counts, with Unicode where there is one", async () => {
  const reactions = [
    { name: "+1", users: ["U0ALICE", "U0BOB"] },
    { name: "shipit", users: ["U0BOB"] },
  ];
  const { ts } = slack.addMessage({ channel: "C0GENERAL", user: "U0ALICE", text: "x", reactions });
  expect(await act("reactions-list", { messageId: ts })).toEqual({
    reactions: [
      { emoji: "👍", count: 2 },
      { emoji: ":shipit:", count: 1 },
    ],
  });
});

test("member-info, channel-info and emoji-list", async () => {
  expect(await act("member-info", { userId: "U0ALICE" })).toEqual({ id: "U0ALICE", name: "Alice" });
  expect(await act("channel-info")).toEqual({ id: "C0GENERAL", name: "general", topic: "Everything" });
  expect(await act("emoji-list")).toMatchObject({ emoji: expect.arrayContaining(["👍", ":shipit:"]) as string[] });
});

test.each<[ActionName, object, string]>([
  ["pin", {}, "rejected"],
  ["pin", { messageId: "1.000001" }, "not-found"],
  ["member-info", { userId: "U0NOBODY" }, "not-found"],
  ["read", { limit: 1_000 }, "rejected"],
  ["read", { everything: true }, "rejected"],
  ["search", { query: "x" }, "rejected"],
])("%s with %j is refused", async (name, parameters, code) => {
  await expect(act(name, { ...parameters })).rejects.toMatchObject({ code });
});

test("every declared action is one of these", async () => {
  for (const name of channel.capabilities.actions) await expect(act(name, { unknown: 1 })).rejects.toThrow(new RegExp(`^${name}: `));
});
