import assert from "node:assert/strict";
import type { ConformanceCase } from "../case.ts";

/** Platforms that deliver each event once: the channel itself passes it on until it is stored. */
export const ONCE_CASES: readonly ConformanceCase[] = [
  {
    id: "once:retried",
    needs: ["once"],
    behaviour: "A message that the gateway could not store twice is passed on a third time, without another delivery, and is one message.",
    async prove({ channel, host, platform, event }) {
      host.failNext();
      host.failNext();
      await platform.deliver(channel, event());
      await host.storedMessages(1);
      assert.equal(new Set(host.received.map(({ eventId }) => eventId)).size, 1);
    },
  },
  {
    id: "once:order",
    needs: ["once"],
    behaviour: "Messages that arrive while an earlier one could not be stored are stored behind it.",
    async prove({ channel, host, platform, event }) {
      host.failNext();
      const events = [event({ text: "one" }), event({ text: "two" }), event({ text: "three" })];
      for (const one of events) await platform.deliver(channel, one);
      await host.storedMessages(3);
      assert.deepEqual(
        host.stored.map(({ text }) => text),
        ["one", "two", "three"],
      );
    },
  },
  {
    id: "once:health",
    needs: ["once"],
    behaviour: "While a message waits to be stored the channel is degraded and says so; afterwards it is connected again.",
    async prove({ channel, host, platform, event }) {
      host.failNext();
      await platform.deliver(channel, event());
      const { state, detail } = channel.health();
      assert.deepEqual({ state, hasDetail: detail !== undefined }, { state: "degraded", hasDetail: true });
      await host.storedMessages(1);
      assert.equal(channel.health().state, "connected");
    },
  },
  {
    id: "once:stop",
    needs: ["once"],
    behaviour: "Stop waits, until its signal fires, for a message that is not stored yet.",
    async prove({ channel, host, platform, event }) {
      host.failNext();
      await platform.deliver(channel, event());
      await channel.stop({ signal: AbortSignal.timeout(60_000) });
      assert.equal(host.stored.length, 1);
    },
  },
];
