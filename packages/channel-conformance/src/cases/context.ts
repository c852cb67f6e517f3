import assert from "node:assert/strict";
import type { MessageContext, MsgContext } from "@factotum/channel-contract";
import type { ConformanceCase, World } from "../case.ts";
import type { TestEvent } from "../platform.ts";

/** Delivers a group message, which replies to another one where the platform has replies. */
async function receiveMessage(world: World): Promise<{ event: TestEvent; message: MsgContext }> {
  const isReply = world.platform.features.absent?.includes("replies") !== true;
  const event = world.event({ conversation: "group", isReply });
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
    needs: ["context", "groups"],
    behaviour: "The sender's name, the group's subject and, for a reply, the quoted text are fetched for a committed message.",
    async prove(world) {
      const { event, message } = await receiveMessage(world);
      const { senderName, group, replyTo } = await fetchContext(world, message);
      assert.deepEqual(
        { senderName, subject: group?.subject, quoted: replyTo?.body, messageId: replyTo?.messageId },
        { quoted: undefined, ...event.expected.context, messageId: event.expected.replyTo },
      );
    },
  },
  {
    id: "context:refused",
    needs: ["context", "groups"],
    behaviour:
      "Without the permission the message is passed to the gateway all the same, fetching resolves with nothing, and the health says why.",
    async prove(world) {
      world.platform.refuseReads();
      const { message } = await receiveMessage(world);
      assert.deepEqual(await fetchContext(world, message), {});
      assert.ok(world.channel.health().detail, "the health says what is missing");
    },
  },
];
