import { describe, expect, test } from "vitest";
import type { ContractContext } from "./contract-context.ts";

/** Digests of blocks that tainted turns wrote are kept by agent and file, and survive a restart. */
export function describeTaintedBlocks(context: () => ContractContext): void {
  describe("tainted blocks", () => {
    const file = { agentId: "main", file: "memory/2026-03-01.md" };

    test("are kept by agent and file, each once", async () => {
      const { store } = context();
      expect(await store.hasTaintedBlocks()).toBe(false);
      await store.addTaintedBlocks(file, ["a", "b"]);
      expect(await store.hasTaintedBlocks()).toBe(true);
      await store.addTaintedBlocks(file, ["b", "c"]);
      await store.addTaintedBlocks({ ...file, file: "memory/2026-03-02.md" }, ["d"]);
      await store.addTaintedBlocks({ ...file, agentId: "work" }, ["e"]);
      expect(await store.readTaintedBlocks(file)).toEqual(new Set(["a", "b", "c"]));
      expect(await store.readTaintedBlocks({ ...file, agentId: "play" })).toEqual(new Set());
    });

    test("survive a restart", async () => {
      const { store, fixture } = context();
      await store.addTaintedBlocks(file, ["a"]);
      await store.close();
      const reopened = await fixture.open();
      expect(await reopened.readTaintedBlocks(file)).toEqual(new Set(["a"]));
      await reopened.close();
    });
  });
}
