import assert from "node:assert/strict";
import { ChannelError } from "@factotum/channel-contract";
import type { ActionName } from "@factotum/channel-contract";
import type { ConformanceCase } from "../case.ts";
import { acceptedId } from "./outbound/receipt.ts";

const soon = (): { signal: AbortSignal } => ({ signal: AbortSignal.timeout(60_000) });

/** Start, stop, health, and general guarantees of a channel. */
export const LIFECYCLE_CASES: readonly ConformanceCase[] = [
  {
    id: "lifecycle:start-twice",
    needs: [],
    behaviour: "A second start changes nothing: a message is still one message.",
    async prove({ channel, host, platform, event }) {
      await channel.start(soon());
      assert.equal(await platform.deliver(channel, event()), "acknowledged");
      assert.equal(host.received.length, 1);
      assert.ok(platform.openConnections <= 1);
    },
  },
  {
    id: "lifecycle:stop-twice",
    needs: [],
    behaviour: "A second stop changes nothing.",
    async prove({ channel }) {
      await channel.stop(soon());
      await channel.stop(soon());
      assert.equal(channel.health().state, "stopped");
    },
  },
  {
    id: "lifecycle:stop-unstarted",
    needs: [],
    behaviour: "A channel that was never started can be stopped.",
    async prove({ another }) {
      const channel = another();
      await channel.stop(soon());
      assert.equal(channel.health().state, "stopped");
    },
  },
  {
    id: "lifecycle:stop-waits",
    needs: [],
    behaviour: "Stop waits for a send that is on the wire, and the send gets its receipt.",
    async prove({ channel, platform, send }) {
      platform.failNextSend({ type: "held" });
      const receipt = send();
      await platform.sendRequested(1);
      let stopped = false;
      const stop = channel.stop(soon()).then(() => {
        stopped = true;
      });
      for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      const early = stopped;
      platform.release();
      acceptedId(await receipt);
      await stop;
      assert.equal(early, false, "stop did not wait");
    },
  },
  {
    id: "lifecycle:stop-gives-up",
    needs: [],
    behaviour: "When the signal of stop fires, stop resolves, and a send that is still on the wire ends as ambiguous.",
    async prove({ channel, platform, send }) {
      platform.failNextSend({ type: "held" });
      const receipt = send();
      await platform.sendRequested(1);
      await channel.stop({ signal: AbortSignal.abort() });
      assert.equal((await receipt).type, "ambiguous");
    },
  },
  {
    id: "lifecycle:send-after-stop",
    needs: [],
    behaviour: "A stopped channel sends nothing and says so in the receipt.",
    async prove({ channel, platform, send }) {
      await channel.stop(soon());
      assert.equal((await send()).type, "rejected");
      assert.equal(platform.sendRequests, 0);
    },
  },
  {
    id: "lifecycle:credential-wrong",
    needs: ["credential"],
    behaviour: "Start with a credential that the platform refuses rejects with a ChannelError, unauthorized, for good.",
    async prove({ another }) {
      const starting = another({ credential: "wrong" }).start(soon());
      await assert.rejects(
        starting,
        (error) => ChannelError.isInstance(error) && error.code === "unauthorized" && error.retry.type === "never",
      );
    },
  },
  {
    id: "lifecycle:start-aborted",
    needs: [],
    behaviour: "A start whose signal has fired rejects.",
    async prove({ another }) {
      await assert.rejects(another().start({ signal: AbortSignal.abort() }));
    },
  },
  {
    id: "health:before",
    needs: [],
    behaviour: "A channel that was not started does not claim to be connected, and has no evidence.",
    prove({ another }) {
      const health = another().health();
      assert.notEqual(health.state, "connected");
      assert.equal(health.evidenceAtMs, undefined);
      return Promise.resolve();
    },
  },
  {
    id: "health:evidence",
    needs: [],
    behaviour: "After a message the channel is connected, and its evidence is as old as the message.",
    async prove({ channel, platform, event }) {
      const before = Date.now();
      await platform.deliver(channel, event());
      const { state, evidenceAtMs = 0 } = channel.health();
      assert.equal(state, "connected");
      assert.ok(evidenceAtMs >= before && evidenceAtMs <= Date.now(), `the evidence is of ${evidenceAtMs}`);
    },
  },
  {
    id: "health:no-evidence",
    needs: ["webhook"],
    behaviour: "A request that was refused is no evidence that the platform gets through.",
    async prove({ channel, platform, event }) {
      await platform.deliver(channel, event(), { fault: "signature-wrong" });
      assert.equal(channel.health().evidenceAtMs, undefined);
      assert.notEqual(channel.health().state, "connected");
    },
  },
  {
    id: "health:not-stored",
    needs: [],
    behaviour: "While messages cannot be stored, the health says why.",
    async prove({ channel, host, platform, event }) {
      host.failNext();
      await platform.deliver(channel, event());
      assert.ok(channel.health().detail, "there is a detail");
    },
  },
  {
    id: "act:undeclared",
    needs: [],
    behaviour: "An action that is not declared rejects with a ChannelError.",
    async prove({ channel, address }) {
      const undeclared = (["pin", "search", "thread-create", "member-info"] as const).filter(
        (name) => !channel.capabilities.actions.includes(name),
      );
      for (const name of [...undeclared, "no-such-action" as ActionName]) {
        await assert.rejects(channel.act({ name, target: address("direct"), parameters: {} }, soon()), (error) =>
          ChannelError.isInstance(error),
        );
      }
    },
  },
  {
    id: "attachment:foreign",
    needs: [],
    behaviour: "A reference that is not of this channel rejects with a ChannelError.",
    async prove({ channel }) {
      for (const ref of ["", "x", "{}", "../../etc/passwd", "http://127.0.0.1/"]) {
        const fetching = channel.fetchAttachment({ kind: "file", ref }, { ...soon(), maxBytes: 10 });
        await assert.rejects(fetching, (error) => ChannelError.isInstance(error));
      }
    },
  },
  {
    id: "target:unknown",
    needs: [],
    behaviour: "A name that means nobody has no address.",
    async prove({ channel }) {
      for (const query of ["", "nobody at all", "user:", "../"]) assert.equal(await channel.resolveTarget(query, soon()), undefined);
    },
  },
  {
    id: "target:id",
    needs: [],
    behaviour: "The id of a conversation leads to an address that can be sent to.",
    async prove({ channel, platform }) {
      const { id } = platform.target("group");
      const origin = await channel.resolveTarget(`channel:${id}`, soon());
      assert.ok(origin, "there is an address");
      acceptedId(await channel.send(origin, { type: "text", text: "proactive" }, { ...soon(), idempotencyKey: "k" }));
      assert.equal(platform.shown[0]?.conversationId, id);
    },
  },
  {
    id: "log:no-secrets",
    needs: [],
    behaviour: "No log line holds a secret or the words of a message, whatever goes wrong.",
    async prove({ channel, host, platform, event, send, another }) {
      const words = "very private words";
      await platform.deliver(channel, event({ text: words }));
      host.failNext();
      await platform.deliver(channel, event({ text: words }));
      if (platform.transport === "webhook") {
        for (const fault of ["signature-wrong", "stale", "tampered"] as const)
          await platform.deliver(channel, event({ text: words }), { fault });
      }
      for (const type of ["server-error", "answer-lost", "forbidden"] as const) {
        platform.failNextSend({ type });
        await send({ type: "text", text: words });
      }
      if (!platform.features.absent?.includes("credential")) await assert.rejects(another({ credential: "wrong" }).start(soon()));
      await platform.shutDown();
      await send({ type: "text", text: words });
      const bad = host.logLines.filter((line) => [words, ...platform.secrets].some((secret) => line.includes(secret)));
      assert.deepEqual(bad, []);
    },
  },
];
