import assert from "node:assert/strict";
import { MAX_REPLY_CONTEXT_BYTES } from "@factotum/channel-contract";
import type { ConformanceCase } from "../case.ts";
import { expectedOrigin } from "../platform.ts";
import { acceptedId } from "./outbound/receipt.ts";
import { text } from "./outbound/text.ts";
import { driverOf } from "./rich/driver-of.ts";

const soon = (): { readonly signal: AbortSignal } => ({ signal: AbortSignal.timeout(60_000) });

/** The declared guarantee of the inbound path, and what is passed back with replies. */
export const GUARANTEE_CASES: readonly ConformanceCase[] = [
  {
    id: "guarantee:declared",
    needs: [],
    behaviour: "The declared path is the one that events take, and a webhook says how it is authenticated.",
    prove({ channel, platform }) {
      const { transport, webhookAuth } = channel.capabilities.inbound;
      assert.equal(transport === "webhook", platform.transport === "webhook");
      assert.equal(webhookAuth !== undefined, transport === "webhook");
      return Promise.resolve();
    },
  },
  {
    id: "resume:cursor",
    needs: ["cursor"],
    behaviour: "The position after an event is committed with it, also if the channel polls.",
    async prove({ channel, host, platform, event }) {
      const before = await host.cursor();
      assert.equal(await platform.deliver(channel, event()), "acknowledged");
      const after = await host.cursor();
      assert.ok(after !== undefined && after !== before, "the cursor has moved");
    },
  },
  {
    id: "resume:missed",
    needs: ["resumes"],
    behaviour: "A new connection continues at the committed position: it has what happened meanwhile, once, and nothing older.",
    async prove({ channel, host, platform, event, another }) {
      const first = event({ text: "before" });
      assert.equal(await platform.deliver(channel, first), "acknowledged");
      await channel.stop(soon());
      const missed = event({ text: "meanwhile" });
      driverOf(platform, "keep")(missed);
      await another().start(soon());
      await host.handedOver(2);
      assert.deepEqual(
        host.received.map(({ eventId }) => eventId),
        [first.expected.eventId, missed.expected.eventId],
      );
    },
  },
  {
    id: "reply:context",
    needs: ["reply-context"],
    behaviour: "A message has a reply context within its limit, and a send with it is accepted and shown once.",
    async prove({ channel, host, platform, event, send }) {
      assert.equal(await platform.deliver(channel, event()), "acknowledged");
      const context = host.received[0]?.replyContext;
      assert.ok(context, "the message has a reply context");
      const bytes = Buffer.byteLength(context.data);
      assert.ok(bytes > 0 && bytes <= MAX_REPLY_CONTEXT_BYTES, `it has ${bytes} bytes`);
      acceptedId(await send(text("answer"), { replyContext: context.data }));
      assert.equal(platform.shown.length, 1);
    },
  },
  {
    id: "reply:context-foreign",
    needs: ["reply-context"],
    behaviour: "A reply context that cannot be read does not prevent the send.",
    async prove({ platform, send }) {
      acceptedId(await send(text("answer"), { replyContext: "not ours" }));
      assert.equal(platform.shown.length, 1);
    },
  },
  {
    id: "event:moved",
    needs: ["event-moved"],
    behaviour: "A conversation that moves is an event in the old conversation that names the new one.",
    async prove({ channel, host, platform, options }) {
      const { before, event, expected } = driverOf(platform, "moved")();
      if (before !== undefined) await platform.deliver(channel, before);
      assert.equal(await platform.deliver(channel, event), "acknowledged");
      const received = host.received.at(-1);
      assert.deepEqual(received?.event, expected);
      assert.deepEqual(received.origin, expectedOrigin({ channel: options.channel, accountId: host.accountId }, event));
    },
  },
];
