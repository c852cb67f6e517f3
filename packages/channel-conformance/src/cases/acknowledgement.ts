import assert from "node:assert/strict";
import type { ConformanceCase } from "../case.ts";

/** When the platform gets its acknowledgement of an event. */
export const ACKNOWLEDGEMENT_CASES: readonly ConformanceCase[] = [
  {
    id: "ack:after-commit",
    needs: ["redelivery"],
    behaviour: "An event is acknowledged only after the gateway has stored it.",
    async prove({ channel, host, platform, event }) {
      const release = host.hold();
      let answered = false;
      const delivery = platform.deliver(channel, event()).then((answer) => {
        answered = true;
        return answer;
      });
      await host.handedOver(1);
      // An early answer would have crossed the loopback long before this round trip through every phase of the event loop.
      for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      const early = answered;
      release();
      assert.equal(await delivery, "acknowledged");
      assert.equal(early, false, "the event was acknowledged before it was stored");
    },
  },
  {
    id: "ack:not-stored",
    needs: ["redelivery"],
    behaviour: "An event that the gateway could not store is not acknowledged.",
    async prove({ channel, host, platform, event }) {
      host.failNext();
      assert.equal(await platform.deliver(channel, event()), "unacknowledged");
    },
  },
  {
    id: "ack:again-after-failure",
    needs: ["redelivery"],
    behaviour: "An event that could not be stored is passed to the gateway again when it is redelivered.",
    async prove({ channel, host, platform, event }) {
      host.failNext();
      const message = event();
      await platform.deliver(channel, message);
      assert.equal(await platform.deliver(channel, message), "acknowledged");
      assert.equal(host.stored.length, 1);
    },
  },
  {
    id: "ack:duplicate",
    needs: [],
    behaviour: "An event that was stored before is acknowledged too, and is one message.",
    async prove({ channel, host, platform, event }) {
      const message = event();
      assert.equal(await platform.deliver(channel, message), "acknowledged");
      assert.equal(await platform.deliver(channel, message), "acknowledged");
      assert.equal(host.stored.length, 1);
    },
  },
  {
    id: "ack:duplicate-at-once",
    needs: [],
    behaviour: "Ten deliveries of one event at the same time are all acknowledged, and one message.",
    async prove({ channel, host, platform, event }) {
      const message = event();
      const answers = await Promise.all(Array.from({ length: 10 }, () => platform.deliver(channel, message)));
      assert.deepEqual(new Set(answers), new Set(["acknowledged"]));
      assert.equal(host.stored.length, 1);
    },
  },
  {
    id: "ack:duplicate-after-restart",
    needs: [],
    behaviour: "An event that was stored before a restart is acknowledged after it, and stays one message.",
    async prove({ channel, host, platform, event, another }) {
      const message = event();
      await platform.deliver(channel, message);
      await channel.stop({ signal: AbortSignal.timeout(60_000) });
      const successor = another();
      await successor.start({ signal: AbortSignal.timeout(60_000) });
      assert.equal(await platform.deliver(successor, message), "acknowledged");
      assert.equal(host.stored.length, 1);
    },
  },
  {
    id: "ack:two-events",
    needs: [],
    behaviour: "Two messages with the same words are two messages.",
    async prove({ channel, host, platform, event }) {
      await platform.deliver(channel, event({ text: "same" }));
      await platform.deliver(channel, event({ text: "same" }));
      assert.equal(host.stored.length, 2);
    },
  },
];
