import { messageId } from "@factotum/channel-contract";
import { describe, expect, test } from "vitest";
import type { OutboxRecord, Store } from "../src/index.ts";
import { NOW_MS, sampleMessage, sampleOutbound, sampleTurn } from "./samples.ts";
import type { ContractContext } from "./contract-context.ts";

const at = { nowMs: NOW_MS + 5 };

async function addOne(store: Store, key: string, state: "waiting" | "sending" | "suppressed" = "waiting"): Promise<OutboxRecord> {
  const [row] = await store.addOutbound([sampleOutbound(key, { state })]);
  if (row === undefined) throw new Error("No row was added.");
  return row;
}

export function describeOutbox(context: () => ContractContext): void {
  describe("outbox", () => {
    test("parts keep their order, and one idempotency key is one row", async () => {
      const { store } = context();
      await store.startTurn(sampleTurn("t1", []));
      const rows = await store.addOutbound([sampleOutbound("b"), sampleOutbound("a")], { turnId: "t1" });
      const text = { type: "text", text: "another text", replyTo: messageId("m1") } as const;
      const again = await store.addOutbound([sampleOutbound("a", { outbound: text })]);
      expect(again).toEqual([rows[1]]);
      expect((await store.listPendingOutbound({ limit: 9 })).map((row) => row.idempotencyKey)).toEqual(["b", "a"]);
      expect(await store.listPendingOutbound({ limit: 9, afterId: rows[0]?.id ?? "" })).toEqual([rows[1]]);
      expect(await store.listPendingOutbound({ limit: 1 })).toEqual([rows[0]]);
      expect(await store.readOutbound(rows[0]?.id ?? "")).toMatchObject({
        turnId: "t1",
        ...sampleOutbound("b"),
        state: { type: "waiting" },
      });
      await expect(store.addOutbound([sampleOutbound("c")], { turnId: "t9" })).rejects.toMatchObject({ code: "not-found" });
    });

    test("a sent message has the rows whose receipts name it and their edits; those of other chats only if its own has none", async () => {
      const { store } = context();
      const send = async (
        key: string,
        ids: readonly string[],
        changes: Partial<ReturnType<typeof sampleOutbound>> = {},
      ): Promise<string> => {
        const [row] = await store.addOutbound([sampleOutbound(key, { state: "sending", ...changes })]);
        if (row === undefined) throw new Error("No row was added.");
        await store.settleOutbound(row.id, { type: "receipt", receipt: { type: "accepted", messageIds: ids.map(messageId) } }, at);
        return row.id;
      };
      const { target } = sampleOutbound("a");
      const place = (id: string): typeof target => ({ ...target, conversation: { ...target.conversation, id } });
      const first = await send("a", ["m1", "m2"]);
      const elsewhere = await send("b", ["m2", "m3"], { target: place("ou_2") });
      await addOne(store, "c");
      const edited = await store.addOutbound([sampleOutbound("d", { outbound: { type: "edit", of: first, shown: 0, text: "x" } })]);
      const idsOf = async (id: string, chat = target): Promise<string[]> => (await store.listSentMessage(chat, id)).map((row) => row.id);
      expect(await idsOf("m2")).toEqual([edited[0]?.id, first]);
      expect(await idsOf("m3")).toEqual([elsewhere]);
      expect(await idsOf("m3", { ...target, accountId: "second" })).toEqual([]);
      expect(await idsOf("m")).toEqual([]);
      const again = await store.addOutbound([sampleOutbound("e", { outbound: { type: "edit", of: first, shown: 0, text: "y" } })]);
      expect(await idsOf("m1")).toEqual([again[0]?.id, edited[0]?.id, first]);
      await store.maintain({ nowMs: NOW_MS + 100, keepOutboxMs: 10 });
      expect(await idsOf("m1")).toEqual([]);
      expect(await idsOf("m3")).toEqual([]);
    });

    test("a row is claimed once", async () => {
      const { store } = context();
      const row = await addOne(store, "a");
      expect(await Promise.all([store.claimOutbound(row.id), store.claimOutbound(row.id)])).toEqual([true, false]);
      expect(await store.readOutbound(row.id)).toMatchObject({ state: { type: "sending" }, attempts: 1 });
      expect(await addOne(store, "b", "sending")).toMatchObject({ attempts: 1 });
      expect(await store.claimOutbound("nothing")).toBe(false);
    });

    test("a receipt decides the state of a row", async () => {
      const { store } = context();
      const accepted = await addOne(store, "a", "sending");
      const receipt = { type: "accepted", messageIds: [messageId("m1"), messageId("m2")] } as const;
      expect(await store.settleOutbound(accepted.id, { type: "receipt", receipt }, at)).toMatchObject({
        state: { type: "accepted", messageIds: ["m1", "m2"] },
      });
      const retried = await addOne(store, "b", "sending");
      const busy = { type: "rejected", code: "rate-limited", retry: { type: "backoff" } } as const;
      const waiting = await store.settleOutbound(retried.id, { type: "receipt", receipt: busy, retryAtMs: NOW_MS + 900 }, at);
      const delay = { reason: "rate-limited", delayMs: 895 };
      expect(waiting).toMatchObject({ state: { type: "waiting", delay }, dueAtMs: NOW_MS + 900, attempts: 1 });
      expect((await store.readOutbound(retried.id))?.state).toEqual({ type: "waiting", delay });
      expect(await store.claimOutbound(retried.id)).toBe(true);
      const no = { type: "rejected", code: "too-long", retry: { type: "never" }, message: "4096 at most" } as const;
      const dead = await store.settleOutbound(retried.id, { type: "receipt", receipt: no }, at);
      expect(dead).toMatchObject({ state: { type: "dead", reason: "too-long: 4096 at most" }, attempts: 2 });
      const lost = await addOne(store, "c", "sending");
      const ambiguous = { type: "ambiguous", cause: "no answer" } as const;
      await store.settleOutbound(lost.id, { type: "receipt", receipt: ambiguous }, at);
      expect((await store.readOutbound(lost.id))?.state).toEqual({ type: "ambiguous", reason: "no answer" });
      expect(await store.listPendingOutbound({ limit: 9 })).toEqual([]);
      expect(await store.counts()).toMatchObject({ outboxWaiting: 0, outboxDead: 1, outboxAmbiguous: 1 });
    });

    test("unsent rows count as waiting, claimed or not, with the age of the oldest", async () => {
      const { store } = context();
      expect(await store.counts()).not.toHaveProperty("outboxOldestMs");
      const rows = [await addOne(store, "a", "sending"), await addOne(store, "b", "sending"), await addOne(store, "c")];
      await addOne(store, "d", "suppressed");
      expect(await store.counts()).toMatchObject({ outboxWaiting: 3, outboxOldestMs: rows[0]?.createdAtMs });
      const lost = { type: "ambiguous", cause: "no answer" } as const;
      await store.settleOutbound(rows[0]?.id ?? "", { type: "receipt", receipt: lost, retryAtMs: NOW_MS + 20 }, at);
      expect((await store.readOutbound(rows[0]?.id ?? ""))?.state).toMatchObject({ delay: { reason: "ambiguous: no answer" } });
      expect(await store.counts()).toMatchObject({ outboxWaiting: 3 });
      expect(await store.claimOutbound(rows[0]?.id ?? "")).toBe(true);
      expect((await store.readOutbound(rows[0]?.id ?? ""))?.state).toEqual({ type: "sending" });
      for (const { id } of rows) await store.settleOutbound(id, { type: "dead", reason: "" }, at);
      const { outboxWaiting, outboxOldestMs } = await store.counts();
      expect([outboxWaiting, outboxOldestMs]).toEqual([0, undefined]);
    });

    test("a replacement row is found by the original, belongs to its turn, and is one commit with its end", async () => {
      const { store } = context();
      await store.startTurn(sampleTurn("t1", []));
      const [row] = await store.addOutbound([sampleOutbound("a")], { turnId: "t1" });
      const id = row?.id ?? "";
      const how = { reason: "too-long", nowMs: NOW_MS + 5 };
      await expect(store.replaceOutbound(id, [sampleOutbound("b")], how)).rejects.toMatchObject({ code: "conflict" });
      await expect(store.replaceOutbound("nothing", [], how)).rejects.toMatchObject({ code: "not-found" });
      await store.claimOutbound(id);
      const parts = await store.replaceOutbound(id, [sampleOutbound("b"), sampleOutbound("c")], how);
      expect(parts).toMatchObject([
        { turnId: "t1", idempotencyKey: "b", replaces: [id], state: { type: "waiting" } },
        { turnId: "t1", idempotencyKey: "c", replaces: [id] },
      ]);
      expect(await store.readOutbound(id)).toMatchObject({ state: { type: "replaced", reason: "too-long" } });
      expect(await store.listPendingOutbound({ limit: 9 })).toEqual(parts);
      await store.claimOutbound(parts[0]?.id ?? "");
      const [nested] = await store.replaceOutbound(parts[0]?.id ?? "", [sampleOutbound("d")], how);
      expect(nested).toMatchObject({ replaces: [id, parts[0]?.id] });
      await expect(store.replaceOutbound(id, [sampleOutbound("e")], how)).rejects.toMatchObject({ code: "conflict" });
      expect(await store.addOutbound([sampleOutbound("a")])).toMatchObject([{ id, state: { type: "replaced" } }]);
      expect(await store.counts()).toMatchObject({ outboxWaiting: 2, outboxDead: 0 });
    });

    test("a replacement of a row that is possibly delivered is marked so too, and one of another row is not", async () => {
      const { store } = context();
      const row = await addOne(store, "a", "sending");
      const other = await addOne(store, "b", "sending");
      const lost = { type: "ambiguous", cause: "no answer" } as const;
      await store.settleOutbound(row.id, { type: "receipt", receipt: lost, retryAtMs: NOW_MS }, at);
      await store.claimOutbound(row.id);
      const how = { reason: "too-long", nowMs: NOW_MS + 5 };
      const parts = await store.replaceOutbound(row.id, [sampleOutbound("c"), sampleOutbound("d")], how);
      const plain = await store.replaceOutbound(other.id, [sampleOutbound("e")], how);
      expect([...parts, ...plain].map((one) => one.possiblyDelivered)).toEqual([true, true, false]);
      expect(await store.listPendingOutbound({ limit: 9 })).toEqual([...parts, ...plain]);
    });

    test("a replacement of an answer without a turn names its input", async () => {
      const { store } = context();
      const { input } = await store.acceptInput(sampleMessage("1"), { admission: { owner: true, kind: "user" }, receivedAtMs: NOW_MS });
      const { outbox } = await store.settleInputs([input.id], { type: "command" }, { outbox: [sampleOutbound("a", { state: "sending" })] });
      const parts = await store.replaceOutbound(outbox[0]?.id ?? "", [sampleOutbound("b")], { reason: "too-long", nowMs: NOW_MS + 5 });
      expect(parts).toMatchObject([{ inputIds: [input.id] }]);
    });

    test("only a row that is being sent takes a receipt, and only an open one can be given up", async () => {
      const { store } = context();
      const row = await addOne(store, "a");
      const receipt = { type: "accepted", messageIds: [] } as const;
      await expect(store.settleOutbound(row.id, { type: "receipt", receipt }, at)).rejects.toMatchObject({ code: "conflict" });
      await store.settleOutbound(row.id, { type: "dead", reason: "too old" }, at);
      await expect(store.settleOutbound(row.id, { type: "dead", reason: "again" }, at)).rejects.toMatchObject({ code: "conflict" });
      await expect(store.settleOutbound("nothing", { type: "dead", reason: "" }, at)).rejects.toMatchObject({ code: "not-found" });
      const held = await addOne(store, "b", "suppressed");
      expect(await store.claimOutbound(held.id)).toBe(false);
    });
  });
}
