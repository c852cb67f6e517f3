import type { Outbound } from "@factotum/channel-contract";
import { messageId } from "@factotum/channel-contract";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ALICE, BOB, CHANNEL, startScene } from "../../test/scene.ts";
import type { DiscordScene } from "../../test/scene.ts";

let scene: DiscordScene;

beforeEach(async () => {
  scene = await startScene();
});
afterEach(async () => {
  await scene[Symbol.asyncDispose]();
});

const text = (words: string, more: Partial<Extract<Outbound, { type: "text" }>> = {}): Outbound => ({ type: "text", text: words, ...more });
const posted = (): Readonly<Record<string, unknown>> => scene.discord.requests.find(({ isChange }) => isChange)?.json ?? {};

describe("a text", () => {
  test("notifies only the people whom the gateway names", async () => {
    const words = "@Bob, ask @everyone, <@100000000000000001> and `@Bob`";
    await scene.send(text(words, { mentions: [{ id: BOB, name: "Bob" }, { name: "everyone" }] }));
    expect(posted()).toMatchObject({ allowed_mentions: { parse: [], users: [BOB], replied_user: false } });
    expect(scene.discord.sent[0]?.content).toContain(`<@${BOB}>, ask`);
    expect(scene.discord.sent[0]?.content).toContain("`@Bob`");
    expect(scene.discord.sent[0]?.content).not.toContain("@everyone");
  });

  test("that rendering makes longer is several messages with a nonce each, and is not shown twice", async () => {
    const words = "<b> ".repeat(500).trim();
    const first = await scene.send(text(words), { key: "k" });
    expect(await scene.send(text(words), { key: "k" })).toEqual(first);
    expect(first.type === "accepted" && first.messageIds.length).toBe(scene.discord.sent.length);
    expect(new Set(scene.discord.sent.map(({ nonce }) => nonce)).size).toBe(scene.discord.sent.length);
    expect(scene.discord.sent.every(({ content }) => content.length <= 2_000)).toBe(true);
  });

  test("of several messages whose end fails is ambiguous", async () => {
    scene.discord.failNext({ type: "hold" });
    const sending = scene.send(text("<b> ".repeat(500)));
    await scene.discord.request(({ isChange }) => isChange);
    scene.discord.failNext({ type: "refuse", status: 403, code: 50_013, message: "Missing Permissions" });
    scene.discord.release();
    const receipt = await sending;
    expect(scene.discord.requests.filter(({ isChange }) => isChange)).toHaveLength(2);
    expect(receipt.type).toBe("ambiguous");
  });

  test("answers a message; an interaction is no message to answer", async () => {
    const message = scene.discord.addMessage({ channelId: "500000000000000001", authorId: ALICE, content: "?" });
    await scene.send(text("one", { replyTo: messageId(message.id) }));
    await scene.send(text("two", { replyTo: messageId("interaction/1") }));
    expect(scene.discord.sent.map(({ replyTo }) => replyTo)).toEqual([message.id, undefined]);
  });

  test("is edited to what was written where rendering would need another message", async () => {
    await scene.send(text("before"));
    const [shown] = scene.discord.sent;
    const wide = "<b> ".repeat(500).trim();
    await scene.send({ type: "edit", targetId: messageId(shown?.id ?? ""), text: wide });
    expect(scene.discord.sent.map(({ content }) => content)).toEqual([wide]);
  });
});

describe("a reaction", () => {
  test.each([
    ["👍", "👍"],
    [":thumbsup:", "👍"],
    ["❤", "❤️"],
    ["👍🏽", "👍🏽"],
    ["shipit:300000000000000001", "shipit:300000000000000001"],
    ["<:shipit:300000000000000001>", "shipit:300000000000000001"],
  ])("%s is the platform's %s", async (emoji, shown) => {
    await scene.send(text("nice"));
    const targetId = messageId(scene.discord.sent[0]?.id ?? "");
    expect((await scene.send({ type: "reaction", targetId, emoji, removed: false })).type).toBe("accepted");
    expect([...(scene.discord.sent[0]?.reactions.keys() ?? [])]).toEqual([shown]);
  });

  test("that the platform does not have is refused without a request", async () => {
    const receipt = await scene.send({ type: "reaction", targetId: messageId("1"), emoji: "no_such_emoji", removed: false });
    expect(receipt).toMatchObject({ type: "rejected", retry: { type: "never" } });
    expect(scene.discord.requests).toEqual([]);
  });
});

test("a poll runs as long as it says, in whole hours, and as long as possible by default", async () => {
  const poll = { question: "Tea?", options: ["Yes", "No"], multiple: false };
  await scene.send({ type: "poll", poll: { ...poll, durationMs: 90 * 60_000 } });
  await scene.send({ type: "poll", poll });
  const durations = scene.discord.requests.flatMap(({ json }) => (json["poll"] as { duration?: number } | undefined)?.duration ?? []);
  expect(durations).toEqual([2, 768]);
});

test("the caption of a file that needs several messages continues after it", async () => {
  const bytes = Buffer.from("content");
  const media = { kind: "file", mimeType: "text/plain", fileName: "a.txt", bytes } as const;
  const receipt = await scene.send({ type: "media", media, caption: "<b> ".repeat(500) });
  expect(receipt.type === "accepted" && receipt.messageIds).toEqual(scene.discord.sent.map(({ id }) => id));
  expect(scene.discord.sent[0]?.files.map(({ name }) => name)).toEqual(["a.txt"]);
  expect(scene.discord.sent.length).toBeGreaterThan(1);
});

test("a form without a button, which would open it, is refused", async () => {
  const card = { body: "x", inputs: [{ type: "text", id: "a", label: "A" } as const] };
  expect(await scene.send({ type: "card", card })).toMatchObject({ type: "rejected", code: "too-long" });
});

test("an address that a person typed leads to the channel, the thread and the direct chat", async () => {
  const resolve = async (query: string): Promise<unknown> =>
    (await scene.channel.resolveTarget(query, { signal: AbortSignal.timeout(60_000) }))?.conversation;
  const spaceId = scene.discord.app.guild.id;
  expect(await resolve("channel:700000000000000001")).toEqual({ kind: "channel", id: CHANNEL, threadId: "700000000000000001", spaceId });
  expect(await resolve("#general")).toEqual({ kind: "channel", id: CHANNEL, spaceId });
  expect(await resolve("@alice")).toEqual({ kind: "direct", id: "500000000000000001" });
  expect(await resolve(`<@${ALICE}>`)).toEqual({ kind: "direct", id: "500000000000000001" });
  expect(await resolve("user:nobody")).toBeUndefined();
});
