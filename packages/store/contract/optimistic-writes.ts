import { describe, expect, test } from "vitest";
import { NOW_MS, OWNER, sampleEnd, sampleMessage, sampleSession, sampleTurn } from "./samples.ts";
import type { ContractContext } from "./contract-context.ts";

const at = { admission: OWNER, receivedAtMs: NOW_MS };

export function describeOptimisticWrites(context: () => ContractContext): void {
  describe("optimistic writes", () => {
    test("equals the normal call, is readable at once, and is durable after the commit", async () => {
      const { store, fixture } = context();
      const accepted = await store.acceptInputOptimistic(sampleMessage("1"), at);
      expect(accepted.result).toMatchObject({ type: "accepted", input: { state: { type: "waiting" }, message: sampleMessage("1") } });
      const { input } = accepted.result;
      expect(await store.readInput(input.id)).toEqual(input);
      const started = await store.startTurnOptimistic(sampleTurn("t1", [input.id]));
      expect(started.result).toMatchObject({ turn: { id: "t1", state: "running" }, session: { sessionId: "session-1" } });
      expect(await store.readTurn("t1")).toEqual(started.result.turn);
      await Promise.all([accepted.committed, started.committed]);
      await store.endTurn(sampleEnd("t1"));
      await store.close();
      const reopened = await fixture.open();
      expect((await reopened.acceptInputOptimistic(sampleMessage("1"), at)).result).toMatchObject({
        type: "duplicate",
        input: { id: input.id },
      });
      expect(await reopened.readTurn("t1")).toMatchObject({ state: "done" });
    });

    test("fails alone: earlier optimistic writes are kept", async () => {
      const { store } = context();
      const accepted = await store.acceptInputOptimistic(sampleMessage("1"), at);
      const session = sampleSession({ key: "agent:main:other", sessionId: "session-2" });
      await expect(store.startTurnOptimistic(sampleTurn("t1", ["nothing"], { session }))).rejects.toMatchObject({ code: "not-found" });
      await accepted.committed;
      expect(await store.readInput(accepted.result.input.id)).toMatchObject({ state: { type: "waiting" } });
      expect(await store.readSession("agent:main:other")).toBeUndefined();
      await expect(store.startTurnOptimistic(sampleTurn("t1", ["nothing"], { session }))).rejects.toMatchObject({ code: "not-found" });
      expect(await store.readSession("agent:main:other")).toBeUndefined();
    });

    test("is committed by a close, and refused after it", async () => {
      const { store, fixture } = context();
      const { result, committed } = await store.acceptInputOptimistic(sampleMessage("1"), at);
      await store.close();
      await committed;
      await expect(store.acceptInputOptimistic(sampleMessage("2"), at)).rejects.toMatchObject({ code: "closed" });
      expect(await (await fixture.open()).readInput(result.input.id)).toEqual(result.input);
    });

    test("is refused once another process owns the store", async () => {
      const { store, fixture } = context();
      await fixture.open();
      await expect(store.acceptInputOptimistic(sampleMessage("1"), at)).rejects.toMatchObject({ code: "lost-ownership" });
      await expect(store.startTurnOptimistic(sampleTurn("t1", []))).rejects.toMatchObject({ code: "lost-ownership" });
    });
  });
}
