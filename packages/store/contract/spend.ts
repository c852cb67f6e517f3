import { describe, expect, test } from "vitest";
import type { ContractContext } from "./contract-context.ts";

/** Spend is added up by day, agent and cause, and survives a restart. */
export function describeSpend(context: () => ContractContext): void {
  describe("spend", () => {
    const charge = { day: "2026-03-01", agentId: "main", cause: "heartbeat", calls: 1, tokens: 100 } as const;

    test("adds up by day, agent and cause", async () => {
      const { store } = context();
      await Promise.all([
        store.addSpend(charge),
        store.addSpend({ ...charge, tokens: 50, costUsd: 0.25 }),
        store.addSpend({ ...charge, tokens: 1, costUsd: 0.5 }),
        store.addSpend({ ...charge, cause: "user" }),
        store.addSpend({ ...charge, agentId: "coder" }),
        store.addSpend({ ...charge, day: "2026-03-02" }),
      ]);
      expect(await store.readSpend("2026-03-01", "main")).toEqual([
        { ...charge, calls: 3, tokens: 151, costUsd: 0.75 },
        { ...charge, cause: "user" },
      ]);
      expect(await store.readSpend("2026-03-03", "main")).toEqual([]);
      expect((await store.listSpend("2026-03-01", "2026-03-02")).map(({ day, agentId, cause }) => [day, agentId, cause])).toEqual([
        ["2026-03-01", "coder", "heartbeat"],
        ["2026-03-01", "main", "heartbeat"],
        ["2026-03-01", "main", "user"],
        ["2026-03-02", "main", "heartbeat"],
      ]);
      expect(await store.listSpend("2026-03-03", "2026-04-01")).toEqual([]);
    });

    test("adds up by tree, too, and keeps a tree for 30 days", async () => {
      const { store } = context();
      await store.addSpend({ ...charge, treeId: "t1", costUsd: 0.25 });
      await store.addSpend({ ...charge, treeId: "t1", agentId: "coder", cause: "user" });
      await store.addSpend(charge);
      expect(await store.readTreeSpend("t1")).toEqual({ tokens: 200, costUsd: 0.25 });
      expect(await store.readTreeSpend("t2")).toEqual({ tokens: 0, costUsd: 0 });
      await store.addSpend({ ...charge, day: "2026-03-31", treeId: "t2" });
      expect(await store.readTreeSpend("t1")).toEqual({ tokens: 200, costUsd: 0.25 });
      await store.addSpend({ ...charge, day: "2026-04-01", treeId: "t2" });
      expect(await store.readTreeSpend("t1")).toEqual({ tokens: 0, costUsd: 0 });
    });

    test("survives a restart", async () => {
      const { store, fixture } = context();
      await store.addSpend(charge);
      await store.close();
      const again = await fixture.open();
      expect(await again.readSpend(charge.day, charge.agentId)).toEqual([charge]);
      await again.close();
    });
  });
}
