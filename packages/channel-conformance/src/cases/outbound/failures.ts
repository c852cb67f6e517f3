import assert from "node:assert/strict";
import type { Outbound } from "@factotum/channel-contract";
import type { ConformanceCase } from "../../case.ts";
import { acceptedId, assertRejected } from "./receipt.ts";
import { text } from "./text.ts";

/** Receipts of sends that failed or were given up. */
export const FAILURE_CASES: readonly ConformanceCase[] = [
  {
    id: "outbound:rate-limited",
    needs: [],
    behaviour: "The platform's own delay is in the receipt, in milliseconds.",
    async prove({ send, platform }) {
      platform.failNextSend({ type: "rate-limited", delayMs: 7_000 });
      const receipt = await send();
      assertRejected(receipt, "rate-limited");
      assert.deepEqual(receipt.type === "rejected" && receipt.retry, { type: "after", delayMs: 7_000 });
    },
  },
  {
    id: "outbound:server-error",
    needs: [],
    behaviour: "A failure of the platform is ambiguous, or rejected with another try later; never accepted, never for good.",
    async prove({ send, platform }) {
      platform.failNextSend({ type: "server-error" });
      const receipt = await send();
      assert.ok(receipt.type === "ambiguous" || (receipt.type === "rejected" && receipt.retry.type !== "never"), JSON.stringify(receipt));
    },
  },
  {
    id: "outbound:answer-lost",
    needs: ["wire"],
    behaviour: "A request that left and was not answered is ambiguous, and is not repeated by the adapter.",
    async prove({ send, platform }) {
      platform.failNextSend({ type: "answer-lost" });
      const receipt = await send();
      assert.equal(receipt.type, "ambiguous", JSON.stringify(receipt));
      assert.equal(platform.sendRequests, 1);
    },
  },
  {
    id: "outbound:answer-unreadable",
    needs: ["wire"],
    behaviour: "A request whose answer cannot be read is ambiguous, and is not repeated by the adapter.",
    async prove({ send, platform }) {
      platform.failNextSend({ type: "answer-unreadable" });
      const receipt = await send();
      assert.equal(receipt.type, "ambiguous", JSON.stringify(receipt));
      assert.equal(platform.sendRequests, 1);
    },
  },
  {
    id: "outbound:unreachable",
    needs: [],
    behaviour: "A platform that cannot be reached is a rejection as unreachable, with another try later.",
    async prove({ send, platform }) {
      await platform.shutDown();
      const receipt = await send();
      assertRejected(receipt, "unreachable");
      assert.ok(receipt.type === "rejected" && receipt.retry.type !== "never");
    },
  },
  {
    id: "outbound:forbidden",
    needs: [],
    behaviour: "A missing right is a rejection as forbidden, for good.",
    async prove({ send, platform }) {
      platform.failNextSend({ type: "forbidden" });
      const receipt = await send();
      assertRejected(receipt, "forbidden");
      assert.ok(receipt.type === "rejected" && receipt.retry.type === "never");
    },
  },
  {
    id: "outbound:unknown-target",
    needs: [],
    behaviour: "A conversation that does not exist is a rejection, for good, and nothing is shown anywhere.",
    async prove({ send, platform }) {
      const receipt = await send(text("lost"), { to: "unknown" });
      assertRejected(receipt, "forbidden", "not-found");
      assert.ok(receipt.type === "rejected" && receipt.retry.type === "never");
      assert.equal(platform.shown.length, 0);
    },
  },
  {
    id: "outbound:after-failure",
    needs: [],
    behaviour: "A failed send holds up no later one.",
    async prove({ send, platform }) {
      platform.failNextSend({ type: "forbidden" });
      const [, second] = await Promise.all([send(text("one")), send(text("two"))]);
      acceptedId(second ?? { type: "ambiguous", cause: "missing" });
      assert.deepEqual(
        platform.shown.map((message) => message.text),
        ["two"],
      );
    },
  },
  {
    id: "outbound:token-renewed",
    needs: ["renewable-token"],
    behaviour: "A token that the platform has revoked is renewed, and the send goes through.",
    async prove({ send, platform }) {
      acceptedId(await send(text("one")));
      platform.revokeTokens();
      acceptedId(await send(text("two")));
    },
  },
  {
    id: "outbound:credential-wrong",
    needs: ["credential"],
    behaviour: "A credential that the platform refuses is a rejection as unauthorized, for good.",
    async prove({ another, address }) {
      const outbound: Outbound = { type: "text", text: "x" };
      const options = { signal: AbortSignal.timeout(60_000), idempotencyKey: "k" };
      const receipt = await another({ credential: "wrong" }).send(address("direct"), outbound, options);
      assertRejected(receipt, "unauthorized");
      assert.ok(receipt.type === "rejected" && receipt.retry.type === "never");
    },
  },
  {
    id: "outbound:aborted",
    needs: [],
    behaviour: "A send whose signal has fired makes no request and is not accepted.",
    async prove({ send, platform }) {
      const receipt = await send(undefined, { signal: AbortSignal.abort() });
      assert.equal(receipt.type, "rejected", JSON.stringify(receipt));
      assert.equal(platform.sendRequests, 0);
    },
  },
  {
    id: "outbound:aborted-on-the-wire",
    needs: [],
    behaviour: "A send whose signal fires while it waits for the answer ends as ambiguous at once.",
    async prove({ send, platform }) {
      platform.failNextSend({ type: "held" });
      const abort = new AbortController();
      const receipt = send(undefined, { signal: abort.signal });
      await platform.sendRequested(1);
      abort.abort();
      assert.equal((await receipt).type, "ambiguous");
    },
  },
];
