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

const act = async (name: ActionName, parameters: Readonly<Record<string, unknown>> = {}, threadId?: string) => {
  const conversation = { kind: "channel", id: "C0GENERAL", ...(threadId !== undefined && { threadId }) } as const;
  const target = { channel: "slack", accountId: "second", conversation };
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

test("pins-list in a thread gives those of the thread alone", async () => {
  slack.addMessage({ channel: "C0GENERAL", user: "U0ALICE", text: "outside", pinned: true });
  const root = slack.addMessage({ channel: "C0GENERAL", user: "U0ALICE", text: "root", pinned: true });
  slack.addMessage({ channel: "C0GENERAL", user: "U0BOB", threadTs: root.ts, text: "inside", pinned: true });
  expect(await act("pins-list", {}, root.ts)).toMatchObject({ messages: [{ text: "root" }, { text: "inside" }] });
});

test.each([
  ["evenly over a year", (index: number) => index * 26_000],
  ["in bursts", (index: number) => Math.floor(index / 300) * 4_000_000 + (index % 300)],
  ["mostly at the beginning", (index: number) => (index < 1_150 ? index : index * 10_000)],
])("read of a thread of 1,200 messages, written %s, gives the newest in few requests", async (_, secondsOf) => {
  const root = slack.addMessage({ channel: "C0GENERAL", user: "U0BOB", text: "root", ts: "1600000000.000001" });
  const add = (index: number): { readonly ts: string } =>
    slack.addMessage({
      channel: "C0GENERAL",
      user: "U0BOB",
      threadTs: root.ts,
      text: `text ${index}`,
      ts: `${1_600_000_001 + secondsOf(index)}.000001`,
    });
  const all = Array.from({ length: 1_200 }, (__, index) => add(index));
  expect(await act("read", { limit: 2 }, root.ts)).toMatchObject({ messages: [{ text: "text 1198" }, { text: "text 1199" }] });
  const most = (await act("read", { limit: 100, before: all[1_100]?.ts }, root.ts)) as { readonly messages: readonly { text: string }[] };
  expect(most.messages.map(({ text }) => text)).toEqual(Array.from({ length: 100 }, (__, index) => `text ${1_000 + index}`));
  expect(slack.requests.filter(({ path }) => path === "/api/conversations.replies").length).toBeLessThan(45);
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
  for (let index = 0; index < 1_500; index += 1) slack.app.users.set(`U${index}X`, { id: `U${index}X`, name: "x", realName: "X" });
  slack.app.users.set("U0CAROL", { id: "U0CAROL", name: "carol", realName: "Carol" });
  expect(await act("member-info", { userId: "U0CAROL" })).toEqual({ id: "U0CAROL", name: "Carol" });
  slack.app.conversations.set("C0GENERAL", {
    ...slack.app.conversations.get("C0GENERAL"),
    id: "C0GENERAL",
    kind: "channel",
    name: "general",
    members: ["U0ALICE"],
  });
  expect(await act("member-info", { userId: "U0ALICE" })).toEqual({ id: "U0ALICE", name: "Alice" });
  await expect(act("member-info", { userId: "U0BOB" })).rejects.toMatchObject({ code: "not-found" });
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
