import assert from "node:assert/strict";
import { ChannelError } from "@factotum/channel-contract";
import type { Channel, Outbound } from "@factotum/channel-contract";
import type { ConformanceCase } from "../../case.ts";
import { acceptedId } from "../outbound/receipt.ts";
import { text } from "../outbound/text.ts";
import { driverOf } from "./driver-of.ts";

const soon = (): { readonly signal: AbortSignal } => ({ signal: AbortSignal.timeout(60_000) });

/** An optional method; fails if it is declared and missing. */
function methodOf<Name extends "login" | "probe" | "directory" | "history" | "reconcile">(
  channel: Channel,
  name: Name,
): NonNullable<Channel[Name]> {
  const method = channel[name];
  assert.ok(method, `"${name}" is declared and is no method`);
  return method.bind(channel) as NonNullable<Channel[Name]>;
}

const HOUR_MS = 3_600_000;
const LOST: Outbound = { type: "text", text: "Did it arrive?" };

/** Methods that a channel declares in `optional`. */
export const OPTIONAL_CASES: readonly ConformanceCase[] = [
  {
    id: "probe:account",
    needs: ["probe"],
    behaviour: "A probe names the bot's account without a start, and misses no permission where none is missing.",
    async prove({ another }) {
      const channel = another();
      const { account, missingPermissions } = await methodOf(channel, "probe")(soon());
      assert.notEqual(account.id, "");
      assert.deepEqual(missingPermissions, []);
      assert.equal(channel.health().state, "starting", "a probe starts nothing");
    },
  },
  {
    id: "probe:credential-wrong",
    needs: ["probe", "credential"],
    behaviour: "A probe with a wrong credential rejects with `unauthorized`.",
    async prove({ another }) {
      const probe = methodOf(another({ credential: "wrong" }), "probe");
      await assert.rejects(probe(soon()), (error) => ChannelError.isInstance(error) && error.code === "unauthorized");
    },
  },
  {
    id: "probe:missing-permission",
    needs: ["probe", "context"],
    behaviour: "A probe names the permission that the account lacks.",
    async prove({ another, platform }) {
      platform.refuseReads();
      const { missingPermissions } = await methodOf(another(), "probe")(soon());
      assert.ok(missingPermissions.length > 0);
    },
  },
  {
    id: "directory:find",
    needs: ["directory"],
    behaviour: "People and groups are found by a part of their name, in any case, and each can be written to by its id.",
    async prove({ channel, platform }) {
      const { person, group } = driverOf(platform, "directory");
      const directory = methodOf(channel, "directory");
      for (const [type, { id, name }] of [["person", person] as const, ["group", group] as const]) {
        const entries = await directory(name.slice(0, -1).toUpperCase(), { ...soon(), limit: 10 });
        const found = entries.find((entry) => entry.id === id);
        assert.equal(found?.name, name);
        assert.equal(found.type === "person", type === "person");
        assert.ok(await channel.resolveTarget(`${type === "person" ? "user" : "channel"}:${id}`, soon()), `${id} has no address`);
      }
    },
  },
  {
    id: "directory:nobody",
    needs: ["directory"],
    behaviour: "A name that nobody has gives an empty list.",
    async prove({ channel }) {
      assert.deepEqual(await methodOf(channel, "directory")("zzz-nobody", { ...soon(), limit: 10 }), []);
    },
  },
  {
    id: "directory:limit",
    needs: ["directory"],
    behaviour: "No more entries are listed than asked for.",
    async prove({ channel }) {
      assert.equal((await methodOf(channel, "directory")("", { ...soon(), limit: 1 })).length, 1);
    },
  },
  {
    id: "history:newest",
    needs: ["history", "groups"],
    behaviour:
      "The newest messages of the conversation are listed, oldest first, up to the limit, with their ids and the bot as their author.",
    async prove({ channel, send, address }) {
      const ids: string[] = [];
      for (const words of ["one", "two", "three"]) ids.push(acceptedId(await send(text(words), { to: "group" })));
      acceptedId(await send(text("elsewhere")));
      const messages = await methodOf(channel, "history")(address("group"), { ...soon(), limit: 2 });
      assert.deepEqual(
        messages.map((message) => message.body),
        ["two", "three"],
      );
      assert.deepEqual(
        messages.map((message) => message.messageId),
        ids.slice(1),
      );
      assert.ok(
        messages.every(({ senderId, isSelf }) => senderId !== undefined && senderId !== "" && isSelf === true),
        "the bot is known as the author",
      );
      for (const { sender, timestampMs } of messages) assert.ok(sender !== "" && timestampMs > 1e12, "sender and time are known");
    },
  },
  {
    id: "history:before",
    needs: ["history", "groups"],
    behaviour: "With a message, only those before it are listed.",
    async prove({ channel, send, address }) {
      acceptedId(await send(text("one"), { to: "group" }));
      const before = acceptedId(await send(text("two"), { to: "group" }));
      const messages = await methodOf(channel, "history")(address("group"), { ...soon(), limit: 5, before });
      assert.deepEqual(
        messages.map((message) => message.body),
        ["one"],
      );
    },
  },
  {
    id: "reconcile:shown",
    needs: ["reconcile"],
    behaviour: "A send that is shown although its answer was lost is found, with its id.",
    async prove({ channel, send, platform, address }) {
      const sentAtMs = Date.now();
      platform.failNextSend({ type: "answer-lost" });
      assert.equal((await send(LOST, { idempotencyKey: "lost" })).type, "ambiguous");
      const found = await methodOf(channel, "reconcile")(address("direct"), LOST, { ...soon(), idempotencyKey: "lost", sentAtMs });
      assert.deepEqual(found, { type: "shown", messageIds: [platform.shown[0]?.messageId] });
    },
  },
  {
    id: "reconcile:late",
    needs: ["reconcile"],
    behaviour: "A send is also found long after the given time, which is a lower bound.",
    async prove({ channel, send, platform, address }) {
      const sentAtMs = Date.now() - HOUR_MS;
      platform.failNextSend({ type: "answer-lost" });
      assert.equal((await send(LOST, { idempotencyKey: "lost" })).type, "ambiguous");
      const found = await methodOf(channel, "reconcile")(address("direct"), LOST, { ...soon(), idempotencyKey: "lost", sentAtMs });
      assert.deepEqual(found, { type: "shown", messageIds: [platform.shown[0]?.messageId] });
    },
  },
  {
    id: "reconcile:not-shown",
    needs: ["reconcile"],
    behaviour: "A send that never arrived is not found, even if an earlier message has the same text.",
    async prove({ channel, send, address }) {
      acceptedId(await send(LOST, { idempotencyKey: "earlier" }));
      const options = { ...soon(), idempotencyKey: "never", sentAtMs: Date.now() + 1 };
      assert.deepEqual(await methodOf(channel, "reconcile")(address("direct"), LOST, options), { type: "not-shown" });
    },
  },
  {
    id: "reconcile:unknown",
    needs: ["reconcile", "wire"],
    behaviour: "Without an answer of the platform it is unknown, and nothing is thrown.",
    async prove({ channel, platform, address }) {
      await platform.shutDown();
      const options = { ...soon(), idempotencyKey: "never", sentAtMs: Date.now() };
      assert.deepEqual(await methodOf(channel, "reconcile")(address("direct"), LOST, options), { type: "unknown" });
    },
  },
  {
    id: "login:steps",
    needs: ["login"],
    behaviour: "A login shows its steps and ends with `done`; what it gave is in the account's state by then, as a secret.",
    async prove({ another, platform, host }) {
      const follow = driverOf(platform, "followLogin");
      const types: string[] = [];
      for await (const step of methodOf(another(), "login")(soon())) {
        assert.notEqual(step.text, "");
        types.push(step.type);
        if (step.type === "done") assert.ok(host.state.secretKeys.length > 0, "the login is stored as a secret");
        else await follow(step);
      }
      assert.equal(types.indexOf("done"), types.length - 1, types.join(", "));
      assert.ok(types.length > 1, "something was asked for");
    },
  },
  {
    id: "login:aborted",
    needs: ["login"],
    behaviour: "An aborted login ends, and stores nothing.",
    async prove({ another, host }) {
      const abort = new AbortController();
      const steps = methodOf(another(), "login")({ signal: abort.signal })[Symbol.asyncIterator]();
      await steps.next();
      abort.abort();
      await assert.rejects(async () => {
        while ((await steps.next()).done !== true);
      });
      assert.deepEqual(host.state.secretKeys, []);
    },
  },
];
