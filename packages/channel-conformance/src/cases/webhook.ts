import assert from "node:assert/strict";
import type { ConformanceCase, World } from "../case.ts";
import type { DeliveryFault } from "../platform.ts";

const REFUSALS: readonly { readonly fault: DeliveryFault; readonly what: string }[] = [
  { fault: "signature-missing", what: "A request without a signature" },
  { fault: "signature-wrong", what: "A request that was signed with another key" },
  { fault: "tampered", what: "A request whose body was changed after it was signed" },
  { fault: "stale", what: "A request that was signed a day ago" },
  { fault: "early", what: "A request that is signed for tomorrow" },
  { fault: "other-account", what: "A request of another account" },
];

/** Verification of webhooks, and the connection to the platform. */
export const WEBHOOK_CASES: readonly ConformanceCase[] = [
  ...REFUSALS.map(({ fault, what }): ConformanceCase => ({
    id: `webhook:${fault}`,
    needs: ["webhook"],
    behaviour: `${what} is refused with 4xx and not passed to the gateway.`,
    async prove({ channel, host, platform, event }) {
      assert.equal(await platform.deliver(channel, event(), { fault }), "refused");
      assert.equal(host.received.length, 0);
    },
  })),
  {
    id: "webhook:handshake",
    needs: ["handshake"],
    behaviour: "The platform's check of the address is answered.",
    async prove({ channel, platform }) {
      assert.equal(await platform.handshake(channel, { token: "right" }), true);
    },
  },
  {
    id: "webhook:handshake-wrong",
    needs: ["handshake"],
    behaviour: "A check of the address without the right token is not answered.",
    async prove({ channel, platform }) {
      assert.equal(await platform.handshake(channel, { token: "wrong" }), false);
    },
  },
  {
    id: "webhook:huge",
    needs: ["webhook"],
    behaviour: "A body of 8 MiB is refused with 4xx without being read to its end.",
    async prove({ channel, host }) {
      const total = 8 * 1024 * 1024;
      let given = 0;
      const body = new ReadableStream<Uint8Array>({
        pull(controller) {
          if (given >= total) return controller.close();
          given += 65_536;
          controller.enqueue(new Uint8Array(65_536).fill(0x20));
        },
      });
      const response = await channel.handleWebhook(post(body), { signal: AbortSignal.timeout(60_000) });
      assert.ok(response.status >= 400 && response.status < 500, `the answer is ${response.status}`);
      assert.ok(given < total, "the body was read to its end");
      assert.equal(host.received.length, 0);
    },
  },
  {
    id: "webhook:empty",
    needs: ["webhook"],
    behaviour: "A request without a body is refused with 4xx.",
    async prove({ channel }) {
      const response = await channel.handleWebhook(post(new Uint8Array()), { signal: AbortSignal.timeout(60_000) });
      assert.ok(response.status >= 400 && response.status < 500, `the answer is ${response.status}`);
    },
  },
  {
    id: "webhook:broken-body",
    needs: ["webhook"],
    behaviour: "A body that breaks off is answered, not thrown.",
    async prove({ channel }) {
      const body = new ReadableStream<Uint8Array>({
        pull(controller) {
          controller.error(new Error("the connection broke"));
        },
      });
      const response = await channel.handleWebhook(post(body), { signal: AbortSignal.timeout(60_000) });
      assert.ok(response.status >= 400, `the answer is ${response.status}`);
    },
  },
  {
    id: "webhook:after-stop",
    needs: ["webhook"],
    behaviour: "A stopped channel acknowledges nothing.",
    async prove({ channel, host, platform, event }) {
      await channel.stop({ signal: AbortSignal.timeout(60_000) });
      assert.notEqual(await platform.deliver(channel, event()), "acknowledged");
      assert.equal(host.received.length, 0);
    },
  },
  {
    id: "webhook:none",
    needs: ["connection"],
    behaviour: "Where there is no webhook, a request is answered with 404.",
    async prove({ channel }) {
      const response = await channel.handleWebhook(post(Buffer.from("{}")), { signal: AbortSignal.timeout(60_000) });
      assert.equal(response.status, 404);
    },
  },
  {
    id: "connection:again",
    needs: ["connection", "wire"],
    behaviour: "A connection that broke is opened again without help, says so in its health, and messages arrive again.",
    async prove(world) {
      const { channel, host, platform, event } = world;
      platform.disconnect();
      await platform.connected(2);
      await settled(world);
      assert.equal(await platform.deliver(channel, event()), "acknowledged");
      assert.equal(host.stored.length, 1);
    },
  },
  {
    id: "connection:one",
    needs: ["connection", "wire"],
    behaviour: "There is never more than one connection of an account, also after it broke three times.",
    async prove(world) {
      const { platform } = world;
      for (const count of [2, 3, 4]) {
        platform.disconnect();
        await platform.connected(count);
        await settled(world);
        assert.equal(platform.openConnections, 1);
      }
    },
  },
  {
    id: "connection:closed",
    needs: ["connection"],
    behaviour: "After stop no connection is left.",
    async prove({ channel, platform }) {
      await channel.stop({ signal: AbortSignal.timeout(60_000) });
      for (let turn = 0; turn < 1_000 && platform.openConnections > 0; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      assert.equal(platform.openConnections, 0);
    },
  },
];

/** Resolves once the channel reports an established connection. */
async function settled({ channel }: World): Promise<void> {
  const deadlineMs = performance.now() + 30_000;
  while (channel.health().state !== "connected" && performance.now() < deadlineMs) await new Promise((resolve) => setImmediate(resolve));
  assert.equal(channel.health().state, "connected");
}

function post(body: Uint8Array | ReadableStream<Uint8Array>): Request {
  const init = { method: "POST", body, duplex: "half", headers: { "content-type": "application/json" } };
  return new Request("http://127.0.0.1/webhook", init as RequestInit);
}
