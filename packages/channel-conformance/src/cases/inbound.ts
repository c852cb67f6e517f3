import assert from "node:assert/strict";
import { MsgContextSchema } from "@factotum/channel-contract";
import type { MsgContext } from "@factotum/channel-contract";
import type { ConformanceCase, World } from "../case.ts";
import { expectedOrigin } from "../platform.ts";
import type { TestEvent, TestMessage } from "../platform.ts";

/** Delivers one message and returns what the adapter passed to the gateway. */
async function receiveOne(world: World, message: Partial<TestMessage> = {}): Promise<{ event: TestEvent; received: MsgContext }> {
  const event = world.event(message);
  assert.equal(await world.platform.deliver(world.channel, event), "acknowledged");
  const [received, ...more] = world.host.received;
  assert.equal(more.length, 0, "one event is passed to the gateway once");
  assert.ok(received, "the message is passed to the gateway");
  return { event, received };
}

const hostile = 'שלום 你好 👩‍👩‍👧‍👦 *stars* _lines_ `code`\n\n> quote\n<b>html</b> & \\ \u202e "quoted"';

const ADDRESS_NEEDS = { direct: [], group: ["groups"], thread: ["threads"] } as const;

/** Parsing of the platform's events. */
export const INBOUND_CASES: readonly ConformanceCase[] = [
  {
    id: "inbound:valid",
    needs: [],
    behaviour: "A message is passed to the gateway in the contract's form, without a key that is not in it.",
    async prove(world) {
      MsgContextSchema.parse((await receiveOne(world)).received);
    },
  },
  {
    id: "inbound:serialisable",
    needs: [],
    behaviour: "A message is the same after a trip through JSON.",
    async prove(world) {
      const { received } = await receiveOne(world);
      assert.deepEqual(JSON.parse(JSON.stringify(received)), received);
    },
  },
  {
    id: "inbound:text",
    needs: [],
    behaviour: "Words, emoji, scripts that run from right to left, markup and line breaks arrive as they were sent.",
    async prove(world) {
      const text = world.platform.features.absent?.includes("line-breaks") === true ? hostile.replaceAll("\n", " ") : hostile;
      assert.equal((await receiveOne(world, { text })).received.text, text);
    },
  },
  {
    id: "inbound:event-id",
    needs: [],
    behaviour: "The event's id is the platform's, and the same for every delivery of the event.",
    async prove(world) {
      const { event } = await receiveOne(world);
      await world.platform.deliver(world.channel, event);
      assert.deepEqual(
        world.host.received.map(({ eventId }) => eventId),
        [event.expected.eventId, event.expected.eventId],
      );
    },
  },
  {
    id: "inbound:message-id",
    needs: [],
    behaviour: "The message's id is the platform's.",
    async prove(world) {
      const { event, received } = await receiveOne(world);
      assert.equal(received.messageId, event.expected.messageId);
    },
  },
  {
    id: "inbound:timestamp",
    needs: [],
    behaviour: "The time is the platform's, in milliseconds since the epoch.",
    async prove(world) {
      const { event, received } = await receiveOne(world);
      assert.equal(received.timestampMs, event.expected.timestampMs);
    },
  },
  {
    id: "inbound:sender",
    needs: [],
    behaviour: "The sender is the platform's unchanging id of a person, not marked as a bot.",
    async prove(world) {
      const { event, received } = await receiveOne(world);
      assert.equal(received.sender.id, event.expected.senderId);
      assert.equal(received.sender.isBot, false);
    },
  },
  {
    id: "inbound:unverified",
    needs: ["unverified-senders"],
    behaviour: "A sender whose id others can take is marked so, and no other one.",
    async prove(world) {
      for (const isUnverified of [true, false])
        await world.platform.deliver(world.channel, world.event({ isUnverified, text: `I am ${isUnverified ? "Eve" : "Ann"}` }));
      assert.deepEqual(
        world.host.received.map(({ sender }) => sender.isUnverified ?? false),
        [true, false],
      );
    },
  },
  ...(["direct", "group", "thread"] as const).map((conversation): ConformanceCase => ({
    id: `inbound:address-${conversation}`,
    needs: ADDRESS_NEEDS[conversation],
    behaviour: `A message of a ${conversation} conversation has its complete address: channel, account, conversation${conversation === "thread" ? " and thread" : ""}.`,
    async prove(world) {
      const { event, received } = await receiveOne(world, { conversation });
      assert.deepEqual(received.origin, expectedOrigin({ channel: world.options.channel, accountId: world.host.accountId }, event));
    },
  })),
  {
    id: "inbound:mention-bot",
    needs: ["groups"],
    behaviour: "A group message that names the bot says so.",
    async prove(world) {
      assert.equal((await receiveOne(world, { conversation: "group", mentionsBot: true })).received.mentionsBot, true);
    },
  },
  {
    id: "inbound:mention-other",
    needs: ["groups"],
    behaviour: "A group message that names somebody else does not count as naming the bot, and shows the name, as words of another.",
    async prove(world) {
      const { received } = await receiveOne(world, { conversation: "group", text: "ask", mentionsBob: true });
      assert.equal(received.mentionsBot, false);
      assert.match(received.text, /^ask @Bob$/);
      assert.deepEqual(
        received.mentions?.map(({ name }) => name),
        ["Bob"],
      );
    },
  },
  {
    id: "inbound:reply",
    needs: ["replies"],
    behaviour: "A reply names the message that it answers.",
    async prove(world) {
      const { event, received } = await receiveOne(world, { isReply: true });
      assert.equal(received.replyTo?.messageId, event.expected.replyTo);
    },
  },
  {
    id: "inbound:own-message",
    needs: ["other-bots"],
    behaviour: "What the bot itself has sent is acknowledged and not passed to the gateway.",
    async prove(world) {
      assert.equal(await world.platform.deliver(world.channel, world.event({ sender: "self", conversation: "group" })), "acknowledged");
      assert.equal(world.host.received.length, 0);
    },
  },
  {
    id: "inbound:other-bot",
    needs: ["other-bots"],
    behaviour: "What another bot has sent is passed to the gateway, marked as a bot's.",
    async prove(world) {
      assert.equal((await receiveOne(world, { sender: "other-bot", conversation: "group" })).received.sender.isBot, true);
    },
  },
  {
    id: "inbound:unknown-kind",
    needs: [],
    behaviour: "An event of an unknown kind is acknowledged and not passed to the gateway.",
    async prove(world) {
      assert.equal(await world.platform.deliver(world.channel, world.event(), { fault: "unknown-kind" }), "acknowledged");
      assert.equal(world.host.received.length, 0);
    },
  },
  {
    id: "inbound:other-account",
    needs: [],
    behaviour: "An event of another account of the platform is not passed to the gateway.",
    async prove(world) {
      await world.platform.deliver(world.channel, world.event(), { fault: "other-account" });
      assert.equal(world.host.received.length, 0);
    },
  },
  {
    id: "inbound:malformed",
    needs: [],
    behaviour: "Bytes that are no event are not passed to the gateway, and the next message arrives.",
    async prove(world) {
      for (const bytes of ["{", "[]", "null", '{"a":', "\u0000\u0001", '"text"', "[".repeat(5_000)]) {
        assert.notEqual(await world.platform.deliverBytes(world.channel, Buffer.from(bytes)), "unacknowledged");
      }
      await receiveOne(world);
    },
  },
  {
    id: "inbound:file",
    needs: ["files"],
    behaviour: "A file is a reference, which leads to its bytes and names their kind.",
    async prove(world) {
      const { received } = await receiveOne(world, { text: "", files: [{ name: "one.txt", bytes: Buffer.from("one") }] });
      const [attachment, ...more] = received.attachments;
      assert.ok(attachment, "there is an attachment");
      assert.deepEqual(more, []);
      const media = await world.channel.fetchAttachment(attachment, { signal: AbortSignal.timeout(60_000), maxBytes: 100 });
      assert.equal(Buffer.from(media.bytes).toString(), "one");
      assert.equal(media.kind, attachment.kind);
    },
  },
  {
    id: "inbound:files",
    needs: ["files"],
    behaviour: "Files of one message are references in their order, fetched only when asked for.",
    async prove({ channel, event, host, platform }) {
      const names = ["one", "two", "three"];
      const files = names.map((name) => ({ name: `${name}.txt`, bytes: Buffer.from(name) }));
      assert.equal(await platform.deliver(channel, event({ text: "", files })), "acknowledged");
      // Platforms that deliver the files one by one: the channel passes the message on after the last one.
      await host.handedOver(1);
      const [received, ...more] = host.received;
      assert.equal(more.length, 0, "the files are one message");
      const fetched: string[] = [];
      for (const attachment of received?.attachments ?? []) {
        const { bytes } = await channel.fetchAttachment(attachment, { signal: AbortSignal.timeout(60_000), maxBytes: 100 });
        fetched.push(Buffer.from(bytes).toString());
      }
      assert.deepEqual(fetched, names);
    },
  },
  {
    id: "inbound:file-too-large",
    needs: ["files"],
    behaviour: "A file over the limit of the call is not fetched: the call rejects with too-long.",
    async prove(world) {
      const { received } = await receiveOne(world, { text: "", files: [{ name: "large.txt", bytes: Buffer.alloc(5_000, "x") }] });
      const [attachment] = received.attachments;
      assert.ok(attachment, "there is an attachment");
      const fetching = world.channel.fetchAttachment(attachment, { signal: AbortSignal.timeout(60_000), maxBytes: 4_999 });
      await assert.rejects(fetching, (error: { code?: unknown }) => error.code === "too-long");
    },
  },
];
