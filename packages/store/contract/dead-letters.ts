import { describe, expect, test } from "vitest";
import { withoutUndefined } from "@factotum/agent-contract";
import type { DeadLetter, OutboxRecord, Store } from "../src/index.ts";
import { NOW_MS, OWNER, sampleEnd, sampleMessage, sampleOutbound, sampleTurn } from "./samples.ts";
import type { ContractContext } from "./contract-context.ts";

const at = { nowMs: NOW_MS + 5 };
const soon = { nowMs: NOW_MS + 9, expiresAtMs: NOW_MS + 99 };

async function deadInput(store: Store, eventId: string): Promise<string> {
  const { input } = await store.acceptInput(sampleMessage(eventId), { admission: OWNER, receivedAtMs: NOW_MS });
  await store.settleInputs([input.id], { type: "dead", reason: "broken" });
  return input.id;
}

async function settled(store: Store, key: string, ...causes: readonly ("lost" | "refused" | "lost-and-retried")[]): Promise<OutboxRecord> {
  const [row] = await store.addOutbound([sampleOutbound(key)]);
  if (row === undefined) throw new Error("No row was added.");
  let record = row;
  for (const cause of causes) {
    await store.claimOutbound(row.id);
    const receipt =
      cause === "refused"
        ? ({ type: "rejected", code: "too-long", retry: { type: "never" } } as const)
        : ({ type: "ambiguous", cause: "no answer" } as const);
    const retry = cause === "lost-and-retried" ? { retryAtMs: NOW_MS } : {};
    record = await store.settleOutbound(row.id, { type: "receipt", receipt, isRefusal: true, ...retry }, at);
  }
  return record;
}

export function describeDeadLetters(context: () => ContractContext): void {
  describe("dead letters", () => {
    test("both kinds are listed with content, reason and owner, page by page, reading only the page", async () => {
      const { store, fixture } = context();
      const { input } = await store.acceptInput(sampleMessage("1"), { admission: OWNER, receivedAtMs: NOW_MS });
      await store.startTurn(sampleTurn("t1", [input.id]));
      await store.endTurn(sampleEnd("t1", { inputState: { type: "dead", reason: "it stopped the gateway" }, outbox: [] }));
      await deadInput(store, "2");
      const refused = await settled(store, "a", "refused");
      const lost = await settled(store, "b", "lost");
      await settled(store, "c", "lost-and-retried");
      const whole = await store.listDeadLetters({ limit: 9 });
      expect(whole.cursor).toBeUndefined();
      expect(whole.items).toHaveLength(4);
      expect(whole.items.find(({ id }) => id === input.id)).toMatchObject({
        type: "input",
        reason: "it stopped the gateway",
        failedAtMs: NOW_MS + 1000,
        sessionKey: "agent:main:main",
        record: { message: sampleMessage("1") },
      });
      expect(await store.readDeadLetter(refused.id)).toEqual({
        type: "outbound",
        id: refused.id,
        state: "dead",
        reason: "too-long",
        failedAtMs: at.nowMs,
        sessionKey: "agent:main:main",
        record: refused,
      });
      expect(await store.readDeadLetter(lost.id)).toMatchObject({
        state: "ambiguous",
        reason: "no answer",
        record: { possiblyDelivered: true },
      });
      const paged: DeadLetter[] = [];
      let cursor: string | undefined;
      do {
        const before = fixture.rowsRead();
        const page = await store.listDeadLetters({ limit: 1, ...withoutUndefined({ cursor }) });
        expect(fixture.rowsRead() - before).toBeLessThanOrEqual(4);
        paged.push(...page.items);
        cursor = page.cursor;
      } while (cursor !== undefined);
      expect(paged).toEqual(whole.items);
      expect((await store.listDeadLetters({ type: "input", limit: 9 })).items.map(({ type }) => type)).toEqual(["input", "input"]);
      expect((await store.listDeadLetters({ type: "outbound", limit: 9 })).items.map(({ id }) => id)).toEqual([lost.id, refused.id]);
    });

    test("an input is revived once, and is marked as replayed until a turn claims it", async () => {
      const { store } = context();
      const { input } = await store.acceptInput(sampleMessage("1"), { admission: OWNER, receivedAtMs: NOW_MS });
      await store.startTurn(sampleTurn("t1", [input.id]));
      await store.endTurn(sampleEnd("t1", { inputState: { type: "dead", reason: "broken" } }));
      expect(await store.reviveInput(input.id)).toEqual({ ...input, isReplayed: true });
      expect(await store.readInput(input.id)).toEqual({ ...input, isReplayed: true });
      await expect(store.reviveInput(input.id)).rejects.toMatchObject({ code: "conflict" });
      await expect(store.reviveInput("nothing")).rejects.toMatchObject({ code: "not-found" });
      expect(await store.readDeadLetter(input.id)).toBeUndefined();
      const { turn } = await store.startTurn(sampleTurn("t2", [input.id]));
      expect(turn.attempts).toBe(1);
      expect(await store.readInput(input.id)).toEqual({ ...input, state: { type: "claimed" }, turnId: "t2" });
    });

    test("a row is revived without its attempts and refusals, and stays marked as possibly delivered", async () => {
      const { store } = context();
      const refused = await settled(store, "a", "lost-and-retried", "refused");
      expect(refused).toMatchObject({ state: { type: "dead" }, attempts: 2, refusals: 2, possiblyDelivered: true });
      const { settledAtMs, ...unsettled } = refused;
      expect(settledAtMs).toBeGreaterThanOrEqual(refused.createdAtMs);
      const revived = await store.reviveOutbound(refused.id, soon);
      expect(revived).toEqual({
        ...unsettled,
        state: { type: "waiting" },
        attempts: 0,
        refusals: 0,
        dueAtMs: soon.nowMs,
        expiresAtMs: soon.expiresAtMs,
      });
      expect(await store.readOutbound(refused.id)).toEqual(revived);
      expect(await store.listPendingOutbound({ limit: 9 })).toEqual([revived]);
      await expect(store.reviveOutbound(refused.id, soon)).rejects.toMatchObject({ code: "conflict" });
      await expect(store.reviveOutbound("nothing", soon)).rejects.toMatchObject({ code: "not-found" });
      expect((await settled(store, "b", "refused")).possiblyDelivered).toBe(false);
    });

    test("one purge by age forgets at most 500, inputs and outgoing messages together", async () => {
      const { store } = context();
      await deadInput(store, "1");
      await Promise.all(Array.from({ length: 501 }, async (_, index) => settled(store, `row ${index}`, "refused")));
      const purge = async (): Promise<number> => store.purgeDeadLetters({ failedBeforeMs: Number.MAX_SAFE_INTEGER }, at);
      expect([await purge(), await purge(), await purge()]).toEqual([500, 2, 0]);
    });

    test("purged letters are gone, by id or age; a redelivery of a purged input is a duplicate", async () => {
      const { store } = context();
      const input = await deadInput(store, "1");
      const old = await settled(store, "a", "refused");
      const row = await settled(store, "b", "lost");
      const waiting = await settled(store, "c");
      expect(await store.purgeDeadLetters({ ids: [input, row.id, waiting.id, "nothing"] }, at)).toBe(2);
      expect((await store.listDeadLetters({ limit: 9 })).items.map(({ id }) => id)).toEqual([old.id]);
      expect(await store.readOutbound(waiting.id)).toBeDefined();
      const again = await store.acceptInput(sampleMessage("1"), { admission: OWNER, receivedAtMs: NOW_MS });
      expect(again).toMatchObject({ type: "duplicate", input: { state: { type: "ignored", reason: "purged" }, message: { text: "" } } });
      expect(await store.purgeDeadLetters({ failedBeforeMs: at.nowMs }, at)).toBe(0);
      expect(await store.purgeDeadLetters({ failedBeforeMs: at.nowMs + 1 }, at)).toBe(1);
      const second = await deadInput(store, "2");
      expect(await store.purgeDeadLetters({ failedBeforeMs: Number.MAX_SAFE_INTEGER }, at)).toBe(1);
      expect(await store.readDeadLetter(second)).toBeUndefined();
      expect(await store.counts()).toMatchObject({ inputsDead: 0, outboxDead: 0, outboxAmbiguous: 0 });
    });
  });
}
