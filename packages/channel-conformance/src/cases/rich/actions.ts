import assert from "node:assert/strict";
import { ACTIONS, ChannelError, messageId } from "@factotum/channel-contract";
import type { ActionName, ActionTypes, MessageId } from "@factotum/channel-contract";
import type { ConformanceCase, Need, World } from "../../case.ts";
import { acceptedId } from "../outbound/receipt.ts";
import { text } from "../outbound/text.ts";
import { driverOf } from "./driver-of.ts";

/** Performs an action in the group; its result must match the contract exactly. */
async function act<Name extends ActionName>(
  { channel, address }: World,
  name: Name,
  parameters: ActionTypes[Name]["parameters"],
): Promise<ActionTypes[Name]["result"]> {
  const { value } = await channel.act(
    { name, target: address("group"), parameters: parameters as Readonly<Record<string, unknown>> },
    { signal: AbortSignal.timeout(60_000) },
  );
  const parsed: unknown = ACTIONS[name].result.parse(value);
  assert.deepEqual(parsed, value, "the result has no other keys than the contract's");
  return value as ActionTypes[Name]["result"];
}

async function say({ send }: World, words: string): Promise<MessageId> {
  return acceptedId(await send(text(words), { to: "group" }));
}

async function sayInThread({ address, channel }: World, threadId: string): Promise<void> {
  const target = address("group");
  const inside = { ...target, conversation: { ...target.conversation, threadId } };
  acceptedId(await channel.send(inside, text("inside"), { signal: AbortSignal.timeout(60_000), idempotencyKey: "in-thread" }));
}

const pinned = ({ platform }: World): readonly string[] =>
  platform.shown.filter((message) => message.pinned === true).map((message) => message.messageId);

const rows: readonly {
  readonly name: ActionName;
  readonly id?: string;
  readonly more?: readonly Need[];
  readonly behaviour: string;
  readonly prove: ConformanceCase["prove"];
}[] = [
  {
    name: "pin",
    behaviour: "The message is pinned.",
    async prove(world) {
      const id = await say(world, "keep");
      await act(world, "pin", { messageId: id });
      assert.deepEqual(pinned(world), [id]);
    },
  },
  {
    name: "pin",
    id: "act:not-found",
    behaviour: "An action on a message that does not exist rejects with a ChannelError that is final.",
    async prove(world) {
      await assert.rejects(
        act(world, "pin", { messageId: messageId("no-such-message") }),
        (error) => ChannelError.isInstance(error) && error.retry.type === "never",
      );
    },
  },
  {
    name: "unpin",
    more: ["act-pin"],
    behaviour: "The message is not pinned any more.",
    async prove(world) {
      const id = await say(world, "keep");
      await act(world, "pin", { messageId: id });
      await act(world, "unpin", { messageId: id });
      assert.deepEqual(pinned(world), []);
    },
  },
  {
    name: "pins-list",
    more: ["act-pin"],
    behaviour: "The pinned messages are listed, and no others.",
    async prove(world) {
      const id = await say(world, "keep");
      await say(world, "other");
      await act(world, "pin", { messageId: id });
      const { messages } = await act(world, "pins-list", { limit: 10 });
      assert.deepEqual(
        messages.map((message) => [message.messageId, message.text]),
        [[id, "keep"]],
      );
    },
  },
  {
    name: "read",
    behaviour: "The newest messages are listed, oldest first, up to the limit, those before a message if one is given.",
    async prove(world) {
      for (const words of ["one", "two", "three"]) await say(world, words);
      const { messages } = await act(world, "read", { limit: 2 });
      assert.deepEqual(
        messages.map((message) => message.text),
        ["two", "three"],
      );
      const before = await act(world, "read", { limit: 5, before: messages[0]?.messageId });
      assert.deepEqual(
        before.messages.map((message) => message.text),
        ["one"],
      );
    },
  },
  {
    name: "search",
    behaviour: "Messages of the conversation that contain the text are listed, and no others.",
    async prove(world) {
      for (const words of ["green tea", "coffee", "black tea"]) await say(world, words);
      acceptedId(await world.send(text("tea in private")));
      const { messages } = await act(world, "search", { query: "tea", limit: 10 });
      assert.deepEqual(messages.map((message) => message.text).toSorted(), ["black tea", "green tea"]);
    },
  },
  {
    name: "reactions-list",
    more: ["reactions"],
    behaviour: "The reactions of a message are listed as emoji, with their number.",
    async prove(world) {
      const targetId = await say(world, "nice");
      acceptedId(await world.send({ type: "reaction", targetId, emoji: "👍", removed: false }, { to: "group" }));
      const { reactions } = await act(world, "reactions-list", { messageId: targetId });
      assert.deepEqual(
        reactions.map(({ emoji, count }) => [emoji, count]),
        [["👍", 1]],
      );
    },
  },
  {
    name: "thread-create",
    more: ["threads"],
    behaviour: "A thread is opened, and a text to its id is shown in it.",
    async prove(world) {
      const start = await say(world, "start");
      const { threadId } = await act(world, "thread-create", { name: "Plans", messageId: start });
      await sayInThread(world, threadId);
      assert.equal(world.platform.shown.find((message) => message.text === "inside")?.inThread, true);
    },
  },
  {
    name: "thread-list",
    more: ["act-thread-create"],
    behaviour: "An opened thread with a message in it is listed.",
    async prove(world) {
      const start = await say(world, "start");
      const { threadId } = await act(world, "thread-create", { name: "Plans", messageId: start });
      await sayInThread(world, threadId);
      const { threads } = await act(world, "thread-list", { limit: 10 });
      assert.ok(threads.some((thread) => thread.threadId === threadId));
    },
  },
  {
    name: "member-info",
    behaviour: "A person is named.",
    async prove(world) {
      const { person } = driverOf(world.platform, "directory");
      const { id, name } = await act(world, "member-info", { userId: person.id });
      assert.deepEqual([id, name], [person.id, person.name]);
    },
  },
  {
    name: "channel-info",
    behaviour: "The conversation of the call is described.",
    async prove(world) {
      const { id } = await act(world, "channel-info", {});
      assert.equal(id, world.address("group").conversation.id);
    },
  },
  {
    name: "emoji-list",
    behaviour: "At least one reaction is listed, each once.",
    async prove(world) {
      const { emoji } = await act(world, "emoji-list", {});
      assert.ok(emoji.length > 0 && new Set(emoji).size === emoji.length, JSON.stringify(emoji));
    },
  },
  {
    name: "permissions",
    behaviour: "What the bot may do in the conversation is listed.",
    async prove(world) {
      const { granted } = await act(world, "permissions", {});
      assert.ok(granted.length > 0);
    },
  },
];

/** One case per action, on what the platform shows. */
export const ACTION_CASES: readonly ConformanceCase[] = rows.map(({ name, id = `act:${name}`, more = [], behaviour, prove }) => ({
  id,
  needs: [`act-${name}` as const, "groups", ...more],
  behaviour,
  prove,
}));
