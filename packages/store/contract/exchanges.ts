import { describe, expect, test } from "vitest";
import type { ExchangeRecord } from "../src/index.ts";
import type { ContractContext } from "./contract-context.ts";
import { sampleMessage } from "./samples.ts";

const { origin, sender } = sampleMessage("1");
const exchange = (id: string): ExchangeRecord => ({
  id,
  startedAtMs: 1_000,
  requester: { sessionKey: "agent:main:main", agentId: "main", channel: "irc" },
  target: { sessionKey: "agent:coder:main", agentId: "coder", origin },
  request: "Is the build green?",
  path: ["agent:main:main"],
  authority: { owner: true, isListedOwner: true, author: { origin, sender }, cause: "user" },
  maxTurns: 6,
  turn: 0,
  phase: "talk",
});

/** Exchanges between sessions are kept until they end. */
export function describeExchanges(context: () => ContractContext): void {
  describe("exchanges between sessions", () => {
    test("are listed, oldest first, as they were put last, until they are removed", async () => {
      const { store } = context();
      expect(await store.listExchanges()).toEqual([]);
      for (const id of ["b", "a", "c"]) await store.putExchange(exchange(id));
      const replied: ExchangeRecord = { ...exchange("b"), turn: 1, firstReply: "Yes.", latestReply: "Yes.", phase: "announce" };
      await store.putExchange(replied);
      await store.removeExchange("a");
      await store.removeExchange("a");
      expect(await store.listExchanges()).toEqual([replied, exchange("c")]);
    });

    test("survive a restart", async () => {
      const { store, fixture } = context();
      await store.putExchange(exchange("a"));
      await store.close();
      const reopened = await fixture.open();
      expect(await reopened.listExchanges()).toEqual([exchange("a")]);
      await reopened.close();
    });
  });
}
