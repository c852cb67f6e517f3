import type { MsgContext } from "@factotum/channel-contract";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ALICE, BOB, CHANNEL, DIRECT, soon, startScene, THREAD } from "../../test/scene.ts";
import type { DiscordScene } from "../../test/scene.ts";

let scene: DiscordScene;

beforeEach(async () => {
  scene = await startScene();
  await scene.start();
});
afterEach(async () => {
  await scene[Symbol.asyncDispose]();
});

/** Dispatches a message with changed data behind a message that is stored; resolves with what was passed on of it. */
async function dispatched(data: Readonly<Record<string, unknown>>): Promise<MsgContext | undefined> {
  const before = scene.host.received.length;
  const message = scene.discord.addMessage({ channelId: CHANNEL, authorId: ALICE, content: "text" });
  scene.discord.gateway.dispatch("MESSAGE_CREATE", { ...scene.discord.messageData(message), ...data });
  await scene.say("behind it");
  return scene.host.received.slice(before).find(({ text }) => text !== "behind it");
}

describe("a sender", () => {
  test("is known by the id alone, and shown by the name in the server, else the display name", async () => {
    expect((await scene.say("hi")).sender).toEqual({ id: ALICE, name: "Alice", handle: "alice", isBot: false });
    const named = await dispatched({ member: { nick: "Al", roles: ["400000000000000002"] } });
    expect(named?.sender).toEqual({ id: ALICE, name: "Al", handle: "alice", isBot: false, roles: ["400000000000000002"] });
  });

  test("that is a webhook counts as a bot", async () => {
    const posted = await dispatched({ webhook_id: "123456789012345678", author: { id: "123456789012345678", username: "Alice" } });
    expect(posted?.sender).toEqual({ id: "123456789012345678", name: "Alice", handle: "Alice", isBot: true });
  });
});

describe("a text", () => {
  test("has names in place of the platform's marks", async () => {
    const { text, mentions } = await scene.say(`see <@${BOB}> and <@!${BOB}>, <:shipit:123>, </model:42> <t:1700000000:R>`, {
      channelId: CHANNEL,
    });
    expect(text).toBe("see @Bob and @Bob, :shipit:, /model 2023-11-14 22:13 UTC");
    expect(mentions).toEqual([{ id: BOB, name: "Bob" }]);
  });

  test("loses the bot's name at its beginning, which only addresses it", async () => {
    const { bot } = scene.discord.app;
    const received = await scene.say(`<@${bot.id}>, what is <@${bot.id}>?`, { channelId: CHANNEL });
    expect(received).toMatchObject({ text: "what is @factotum?", mentionsBot: true });
    expect(received.mentions).toBeUndefined();
  });

  test("names the bot by its own role, too; others are named and mention no one", async () => {
    expect(await scene.say("<@&400000000000000001> hello", { channelId: CHANNEL })).toMatchObject({ text: "hello", mentionsBot: true });
    expect(await scene.say("hey <@&400000000000000002>", { channelId: CHANNEL })).toMatchObject({ text: "hey @Team", mentionsBot: false });
  });

  test("of stickers and polls is a short note", async () => {
    const shown = await dispatched({
      content: "",
      sticker_items: [{ id: "1", name: "Wave" }],
      poll: { question: { text: "Tea?" }, answers: [{ poll_media: { text: "Yes" } }, { poll_media: { text: "No" } }] },
    });
    expect(shown?.text).toBe("[sticker: Wave]\n[poll: Tea? (Yes, No)]");
  });

  test("of an embed is another's, and untrusted", async () => {
    const shown = await dispatched({
      content: "",
      embeds: [
        { type: "rich", title: "Build", description: "failed" },
        { type: "link", title: "no" },
      ],
    });
    expect(shown).toMatchObject({ text: "", untrusted: [{ source: "embed", text: "Build\nfailed" }] });
  });
});

test("a message without anything to show is ignored, as all are without the intent Message Content", async () => {
  expect(await dispatched({ content: "" })).toBeUndefined();
});

test("notes of the platform, such as a pin, are ignored", async () => {
  expect(await dispatched({ type: 6 })).toBeUndefined();
});

test("what was forwarded is not the sender's text", async () => {
  const forwarded = { channelId: CHANNEL, messageId: "123456789012345678", content: "their words" };
  expect(await scene.say("", { forwarded })).toMatchObject({ text: "", forwarded: { body: "their words" } });
  expect((await scene.say("", { forwarded })).replyTo).toBeUndefined();
});

test("a reply quotes the message, and says that it is the bot's own", async () => {
  const own = scene.discord.addMessage({ channelId: DIRECT, authorId: scene.discord.app.bot.id, content: "my words" });
  const { replyTo } = await scene.say("yes", { replyTo: own.id });
  expect(replyTo).toEqual({
    messageId: own.id,
    sender: { id: scene.discord.app.bot.id, name: "factotum", isSelf: true },
    body: "my words",
    isQuote: false,
  });
});

test("a change that the platform makes by itself is no edit", async () => {
  const message = scene.discord.addMessage({ channelId: DIRECT, authorId: ALICE, content: "https://example.com" });
  scene.discord.gateway.dispatch("MESSAGE_UPDATE", scene.discord.messageData(message));
  await scene.say("next");
  expect(scene.host.received.map(({ text }) => text)).toEqual(["next"]);
});

test("answers in a poll add up, and one that is taken back is gone", async () => {
  await scene.send({ type: "poll", poll: { question: "Tea?", options: ["Green", "Black", "None"], multiple: true } });
  const [poll] = scene.discord.sent;
  if (poll === undefined) throw new Error("there is no poll");
  const { gateway } = scene.discord;
  for (const answer of [3, 1]) gateway.dispatch("MESSAGE_POLL_VOTE_ADD", scene.discord.voteData(poll, { userId: ALICE, answer }));
  gateway.dispatch("MESSAGE_POLL_VOTE_REMOVE", scene.discord.voteData(poll, { userId: ALICE, answer: 3 }));
  await scene.say("done");
  const votes = scene.host.received.flatMap(({ event }) => (event.type === "vote" ? [event.options] : []));
  expect(votes).toEqual([["None"], ["Green", "None"], ["Green"]]);
});

test("messages that are deleted together are an event each", async () => {
  const [one, two] = [await scene.say("one"), await scene.say("two")];
  const ids = [one.messageId, "123456789012345678", two.messageId];
  scene.discord.gateway.dispatch("MESSAGE_DELETE_BULK", { ids, channel_id: DIRECT });
  await scene.say("next");
  const deleted = scene.host.received.flatMap(({ event }) => (event.type === "delete" ? [event.targetId] : []));
  expect(deleted).toEqual([one.messageId, two.messageId]);
});

describe("a thread", () => {
  const starter = { channelId: CHANNEL, authorId: BOB, content: "How it began" };

  test("whose channel cannot be asked for waits, and is not taken for a channel", async () => {
    scene.discord.failNextRead({ type: "http", status: 500 });
    const { origin } = await scene.say("inside", { channelId: THREAD }).catch(async () => {
      await scene.host.storedMessages(1);
      return scene.host.stored[0] ?? (await scene.say("never"));
    });
    expect(origin.conversation).toMatchObject({ id: CHANNEL, threadId: THREAD });
  });

  test("has its first message and those since, the first time that the bot is addressed in it", async () => {
    const first = scene.discord.addMessage(starter);
    scene.discord.app.channels.set(first.id, { id: first.id, type: 11, name: "Plans", parentId: CHANNEL });
    scene.discord.addMessage({ channelId: first.id, authorId: ALICE, content: "since" });
    const message = await scene.say("now", { channelId: first.id });
    const context = await scene.channel.fetchContext(message, soon());
    expect(context.thread?.starter).toEqual({ messageId: first.id, sender: "Bob", body: "How it began" });
    expect(context.thread?.history?.map(({ sender, body }) => [sender, body])).toEqual([["Alice", "since"]]);
    expect(context.group).toEqual({ subject: "#general › Plans", topic: "Everything" });
    scene.discord.addMessage({ channelId: first.id, authorId: scene.discord.app.bot.id, content: "mine" });
    const later = await scene.say("and now", { channelId: first.id });
    expect((await scene.channel.fetchContext(later, soon())).thread).toBeUndefined();
  });
});
