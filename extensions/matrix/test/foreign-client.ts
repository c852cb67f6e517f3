import { TestHost } from "@factotum/channel-conformance";
import { messageId } from "@factotum/channel-contract";
import type { Channel, Conversation, MessageId, MsgContext, Outbound } from "@factotum/channel-contract";
import { EventType, MsgType, Preset, RelationType } from "matrix-js-sdk";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { createMatrixChannel } from "../src/index.ts";
import type { Homeserver } from "./homeservers.ts";
import { startPerson } from "./person.ts";
import type { Person } from "./person.ts";

const soon = (): { readonly signal: AbortSignal } => ({ signal: AbortSignal.timeout(60_000) });
const TIMEOUT_MS = 120_000;

/** The bot, and Alice with her client in a direct chat with it. */
interface Scene extends AsyncDisposable {
  readonly server: Homeserver;
  readonly host: TestHost;
  readonly channel: Channel;
  readonly alice: Person;
  readonly direct: string;
  send(outbound: Outbound, conversation?: Conversation, key?: string): Promise<MessageId>;
  /** Resolves with the first message or event that `matches`. */
  received(matches: (message: MsgContext) => boolean): Promise<MsgContext>;
  another(): Channel;
}

async function startScene(create: () => Promise<Homeserver>): Promise<Scene> {
  const server = await create();
  const host = new TestHost();
  const channels: Channel[] = [];
  const another = (): Channel => {
    const channel = createMatrixChannel({ homeserver: server.baseUrl, userId: server.bot.id, accessToken: server.bot.token }, host);
    channels.push(channel);
    return channel;
  };
  const channel = another();
  await channel.start(soon());
  const alice = await startPerson(server, server.alice);
  const { room_id: direct } = await alice.client.createRoom({
    preset: Preset.TrustedPrivateChat,
    is_direct: true,
    invite: [server.bot.id],
  });
  await alice.until(() => (alice.client.getRoom(direct)?.getMember(server.bot.id)?.membership === "join" ? true : undefined));
  let sends = 0;
  const received: Scene["received"] = async (matches) => {
    for (let count = 0; ; count += 1) {
      await host.storedMessages(count);
      const found = host.stored.find(matches);
      if (found !== undefined) return found;
    }
  };
  return {
    server,
    host,
    channel,
    alice,
    direct,
    another,
    received,
    async send(outbound, conversation = { kind: "direct", id: direct }, key) {
      sends += 1;
      const target = { channel: "matrix", accountId: host.accountId, conversation };
      const receipt = await channel.send(target, outbound, { ...soon(), idempotencyKey: key ?? `k${sends}` });
      if (receipt.type !== "accepted") throw new Error(JSON.stringify(receipt));
      return receipt.messageIds[0] ?? messageId("");
    },
    async [Symbol.asyncDispose]() {
      alice[Symbol.dispose]();
      await Promise.all(channels.map(async (one) => one.stop({ signal: AbortSignal.abort() })));
      await server[Symbol.asyncDispose]();
    },
  };
}

/** Registers what the channel and the client that others wrote show each other, on a homeserver. */
export function foreignClientTests(name: string, create: () => Promise<Homeserver>): void {
  describe(name, { timeout: TIMEOUT_MS }, () => {
    // The client writes what it does to the console, whatever logger it is given.
    beforeEach(() => {
      for (const method of ["debug", "info", "log", "warn"] as const) vi.spyOn(console, method).mockImplementation(() => undefined);
    });

    test("an invitation is followed, and texts go both ways once", async () => {
      await using scene = await startScene(create);
      const { alice, direct } = scene;
      const { event_id: id } = await alice.client.sendTextMessage(direct, "Good morning");
      const message = await scene.received(({ text }) => text === "Good morning");
      expect(message).toMatchObject({
        eventId: id,
        sender: { id: alice.id, name: "Alice" },
        origin: { conversation: { kind: "direct", id: direct } },
      });
      const key = "the same key";
      const sent = await scene.send({ type: "text", text: "**Hello** & `x`", replyTo: messageId(id) }, undefined, key);
      expect(await scene.send({ type: "text", text: "**Hello** & `x`", replyTo: messageId(id) }, undefined, key)).toBe(sent);
      const shown = await alice.shown(direct, "**Hello** & `x`");
      expect([shown.getId(), shown.getContent()["formatted_body"], shown.replyEventId]).toEqual([
        sent,
        "<strong>Hello</strong> &amp; <code>x</code>",
        id,
      ]);
    });

    test("edits, reactions and removals go both ways", async () => {
      await using scene = await startScene(create);
      const { alice, direct } = scene;
      const { event_id: id } = await alice.client.sendTextMessage(direct, "one");
      await alice.client.sendMessage(direct, {
        msgtype: MsgType.Text,
        body: "* two",
        "m.new_content": { msgtype: MsgType.Text, body: "two" },
        "m.relates_to": { rel_type: RelationType.Replace, event_id: id },
      } as never);
      expect(await scene.received(({ event }) => event.type === "edit")).toMatchObject({ text: "two", event: { targetId: id } });
      const relation = { "m.relates_to": { rel_type: RelationType.Annotation, event_id: id, key: "🎉" } };
      const reaction = await alice.client.sendEvent(direct, EventType.Reaction, relation as never);
      expect(await scene.received(({ event }) => event.type === "reaction")).toMatchObject({
        event: { targetId: id, emoji: "🎉", removed: false },
      });
      await alice.client.redactEvent(direct, reaction.event_id);
      expect(await scene.received(({ event }) => event.type === "reaction" && event.removed)).toMatchObject({
        event: { targetId: id, emoji: "🎉" },
      });
      await alice.client.redactEvent(direct, id);
      expect(await scene.received(({ event }) => event.type === "delete")).toMatchObject({ event: { targetId: id } });
      const own = await scene.send({ type: "text", text: "before" });
      await scene.send({ type: "edit", targetId: own, text: "after" });
      expect((await alice.shown(direct, "after")).getId()).toBe(own);
      const target = await alice.client.sendTextMessage(direct, "nice");
      await scene.received(({ text }) => text === "nice");
      const reacted = { type: "reaction", targetId: messageId(target.event_id), emoji: "👍" } as const;
      const reactions = (): number =>
        alice.client.getRoom(direct)?.relations.getChildEventsForEvent(target.event_id, "m.annotation", "m.reaction")?.getRelations()
          .length ?? 0;
      await scene.send({ ...reacted, removed: false });
      await alice.until(() => (reactions() === 1 ? true : undefined));
      await scene.send({ ...reacted, removed: true });
      await alice.until(() => (reactions() === 0 ? true : undefined));
      await scene.send({ type: "delete", targetId: own });
      await alice.until(() => (alice.client.getRoom(direct)?.findEventById(own)?.isRedacted() === true ? true : undefined));
    });

    test("files go both ways, byte for byte", async () => {
      await using scene = await startScene(create);
      const { alice, direct } = scene;
      const bytes = Buffer.from("quarter,sales\n1,4711\n");
      const { content_uri: url } = await alice.client.uploadContent(new Blob([bytes], { type: "text/csv" }), { name: "in.csv" });
      await alice.client.sendMessage(direct, {
        msgtype: MsgType.File,
        body: "in.csv",
        url,
        info: { mimetype: "text/csv", size: bytes.length },
      } as never);
      const [attachment] = (await scene.received(({ attachments }) => attachments.length > 0)).attachments;
      if (attachment === undefined) throw new Error("there is no attachment");
      expect(attachment).toMatchObject({ kind: "file", fileName: "in.csv", mimeType: "text/csv", sizeBytes: bytes.length });
      expect(Buffer.from((await scene.channel.fetchAttachment(attachment, { ...soon(), maxBytes: 100 })).bytes)).toEqual(bytes);
      await expect(scene.channel.fetchAttachment(attachment, { ...soon(), maxBytes: 10 })).rejects.toMatchObject({ code: "too-long" });
      await scene.send({ type: "media", media: { kind: "file", mimeType: "text/csv", fileName: "报告.csv", bytes } });
      const shown = await alice.shown(direct, "报告.csv");
      const address = alice.client.mxcUrlToHttp(String(shown.getContent()["url"]), undefined, undefined, undefined, false, true, true);
      const answer = await fetch(address ?? "", { headers: { authorization: `Bearer ${scene.server.alice.token}` } });
      expect(Buffer.from(await answer.arrayBuffer())).toEqual(bytes);
    });

    test("a thread has the messages of both, and its context is read", async () => {
      await using scene = await startScene(create);
      const { alice, direct } = scene;
      const { event_id: root } = await alice.client.sendTextMessage(direct, "We need a plan");
      await alice.client.sendMessage(direct, root, { msgtype: MsgType.Text, body: "inside" });
      const message = await scene.received(({ text }) => text === "inside");
      expect(message.origin.conversation).toEqual({ kind: "direct", id: direct, threadId: root });
      expect(await scene.channel.fetchContext(message, soon())).toMatchObject({
        thread: { starter: { messageId: root, body: "We need a plan" } },
      });
      await scene.send({ type: "text", text: "noted" }, message.origin.conversation);
      expect((await alice.shown(direct, "noted")).threadRootId).toBe(root);
      const act = async (action: "read" | "thread-list" | "search", parameters: object, conversation: Conversation): Promise<unknown> =>
        (await scene.channel.act({ name: action, target: { ...message.origin, conversation }, parameters: { ...parameters } }, soon()))
          .value;
      expect(await act("read", { limit: 10 }, message.origin.conversation)).toMatchObject({
        messages: [{ text: "We need a plan" }, { text: "inside" }, { text: "noted" }],
      });
      expect(await act("thread-list", { limit: 10 }, { kind: "direct", id: direct })).toEqual({
        threads: [{ threadId: root, name: "We need a plan" }],
      });
      expect(await act("search", { query: "plan", limit: 10 }, { kind: "direct", id: direct })).toMatchObject({
        messages: [{ text: "We need a plan" }],
      });
    });

    test("what is written while the channel is down is received in order, also over a gap", async () => {
      await using scene = await startScene(create);
      const { alice, direct } = scene;
      await alice.client.sendTextMessage(direct, "known");
      await scene.received(({ text }) => text === "known");
      await scene.channel.stop(soon());
      const missed = Array.from({ length: 130 }, (_, index) => `missed ${index}`);
      for (const text of missed) await alice.client.sendTextMessage(direct, text);
      await scene.another().start(soon());
      await scene.received(({ text }) => text === "missed 129");
      expect(scene.host.stored.flatMap(({ text }) => (text.startsWith("missed") ? [text] : []))).toEqual(missed);
    });

    test("a third person makes the direct chat a group, and members who come and go are named", async () => {
      await using scene = await startScene(create);
      const { alice, direct, server } = scene;
      using bob = await startPerson(server, server.bob);
      await alice.client.sendTextMessage(direct, "alone");
      await alice.client.invite(direct, bob.id);
      await bob.client.joinRoom(direct);
      expect(await scene.received(({ event }) => event.type === "member" && event.member.id === bob.id)).toMatchObject({
        sender: { id: alice.id },
        event: { change: "joined", member: { name: "Bob" } },
      });
      await alice.client.sendTextMessage(direct, "not alone");
      expect(await scene.received(({ text }) => text === "not alone")).toMatchObject({ origin: { conversation: { kind: "group" } } });
      await alice.client.kick(direct, bob.id, "bye");
      expect(await scene.received(({ event }) => event.type === "member" && event.change === "left")).toMatchObject({
        sender: { id: alice.id },
        event: { member: { id: bob.id } },
      });
    });

    test("a poll is shown, and its votes arrive", async () => {
      await using scene = await startScene(create);
      const { alice, direct } = scene;
      const poll = await scene.send({ type: "poll", poll: { question: "Tea?", options: ["Green", "Black"], multiple: false } });
      await alice.until(() => alice.client.getRoom(direct)?.findEventById(poll));
      const response = {
        "m.relates_to": { rel_type: "m.reference", event_id: poll },
        "org.matrix.msc3381.poll.response": { answers: ["answer-2"] },
      };
      await alice.client.sendEvent(direct, "org.matrix.msc3381.poll.response" as never, response as never);
      expect(await scene.received(({ event }) => event.type === "vote")).toMatchObject({ event: { targetId: poll, options: ["Black"] } });
    });

    test("an encrypted room gets one line", async () => {
      await using scene = await startScene(create);
      const { alice, server } = scene;
      const { room_id: room } = await alice.client.createRoom({
        preset: Preset.TrustedPrivateChat,
        is_direct: true,
        invite: [server.bot.id],
        initial_state: [{ type: "m.room.encryption", state_key: "", content: { algorithm: "m.megolm.v1.aes-sha2" } }],
      });
      const lines = (): number =>
        alice.client
          .getRoom(room)
          ?.getLiveTimeline()
          .getEvents()
          .filter((event) => event.getSender() === server.bot.id && event.getType() === "m.room.message").length ?? 0;
      await alice.until(() => (lines() === 1 ? true : undefined));
    });

    test("people and rooms are found, and a person without a direct chat is invited to one", async () => {
      await using scene = await startScene(create);
      const { server, channel } = scene;
      using bob = await startPerson(server, server.bob);
      const origin = await channel.resolveTarget(`user:${bob.id}`, soon());
      if (origin === undefined) throw new Error("there is no address");
      expect(origin.conversation.kind).toBe("direct");
      await bob.until(() => (bob.client.getRoom(origin.conversation.id)?.getMyMembership() === "invite" ? true : undefined));
      await bob.client.joinRoom(origin.conversation.id);
      await scene.send({ type: "text", text: "hello Bob" }, origin.conversation);
      await bob.shown(origin.conversation.id, "hello Bob");
      expect(await channel.resolveTarget(`user:${bob.id}`, soon())).toEqual(origin);
      const probe = await channel.probe?.(soon());
      expect(probe).toEqual({ account: { id: server.bot.id, name: "Factotum" }, missingPermissions: [] });
    });
  });
}
