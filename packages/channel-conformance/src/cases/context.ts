import assert from "node:assert/strict";
import type { MessageContext, MsgContext } from "@factotum/channel-contract";
import type { ConformanceCase, World } from "../case.ts";
import type { TestEvent } from "../platform.ts";

/** Delivers a group message that replies to another one. */
async function receiveReply(world: World): Promise<{ event: TestEvent; message: MsgContext }> {
  const event = world.event({ conversation: "group", isReply: true });
  assert.equal(await world.platform.deliver(world.channel, event), "acknowledged");
  const [message] = world.host.received;
  assert.ok(message, "the message is passed to the gateway");
  return { event, message };
}

async function fetchContext(world: World, message: MsgContext): Promise<MessageContext> {
  return world.channel.fetchContext(message, { signal: AbortSignal.timeout(60_000) });
}

/** Context that an adapter fetches about a message after its commit. */
export const CONTEXT_CASES: readonly ConformanceCase[] = [
  {
    id: "context:fetched",
    needs: ["context", "groups", "replies"],
    behaviour: "The sender's name, the group's subject and the quoted text are fetched for a committed message.",
    async prove(world) {
      const { event, message } = await receiveReply(world);
      const { senderName, group, replyTo } = await fetchContext(world, message);
      assert.deepEqual(
        { senderName, subject: group?.subject, quoted: replyTo?.body, messageId: replyTo?.messageId },
        { ...event.expected.context, messageId: event.expected.replyTo },
      );
    },
  },
  {
    id: "context:refused",
    needs: ["context", "groups", "replies"],
    behaviour:
      "Without the permission the message is passed to the gateway all the same, fetching resolves with nothing, and the health says why.",
    async prove(world) {
      world.platform.refuseReads();
      const { message } = await receiveReply(world);
      assert.deepEqual(await fetchContext(world, message), {});
      assert.ok(world.channel.health().detail, "the health says what is missing");
    },
  },
];
