import { describe, expect, test } from "vitest";
import type { Store } from "../src/index.ts";
import type { ContractContext } from "./contract-context.ts";
import { NOW_MS, sampleEnd, sampleSession, sampleTurn } from "./samples.ts";

async function readAll<Item>(read: (cursor: { readonly cursor?: string }) => Promise<{ items: readonly Item[]; cursor?: string }>) {
  const items: Item[] = [];
  let cursor: string | undefined;
  do {
    const page = await read(cursor === undefined ? {} : { cursor });
    items.push(...page.items);
    cursor = page.cursor;
  } while (cursor !== undefined);
  return items;
}

/** A session that was reset twice. */
async function renewTwice(store: Store): Promise<void> {
  await store.startTurn(sampleTurn("t1", [], { startedAtMs: NOW_MS + 1 }));
  await store.endTurn(sampleEnd("t1", { endedAtMs: NOW_MS + 5 }));
  await store.createSession(sampleSession({ key: "agent:main:b", sessionId: "b-1" }), { nowMs: NOW_MS + 6 });
  await store.resetSession("agent:main:main", { sessionId: "session-2", isPrivate: true, nowMs: NOW_MS + 7 });
  await store.resetSession("agent:main:main", { sessionId: "session-3", isPrivate: true, nowMs: NOW_MS + 8 });
  await store.flushCopies();
  // The size of the plain files is stored with the next commit.
  await store.patchSession("agent:main:b", { label: "b" }, { nowMs: NOW_MS + 6 });
}

export function describeMaintenance(context: () => ContractContext): void {
  describe("queries of maintenance", () => {
    test("idle sessions come longest idle first, up to a time, page by page", async () => {
      const { store, fixture } = context();
      const names = Array.from({ length: 30 }, (_, index) => `s-${index}`);
      for (const [index, name] of names.entries())
        await store.createSession(sampleSession({ key: `agent:main:${name}`, sessionId: name }), { nowMs: NOW_MS + Math.floor(index / 2) });
      const before = fixture.rowsRead();
      const idle = await readAll((cursor) => store.listIdleSessions({ notAfterMs: NOW_MS + 9, limit: 6, ...cursor }));
      expect(idle.map(({ sessionId }) => sessionId)).toEqual(names.slice(0, 20));
      expect(fixture.rowsRead() - before).toBeLessThanOrEqual(4 * 7);
      await store.patchSession("agent:main:s-1", { label: "renamed" }, { nowMs: NOW_MS + 50 });
      await store.patchSession("agent:main:s-0", { overrides: { model: "a/b" } }, { nowMs: NOW_MS + 50 });
      expect((await store.listIdleSessions({ notAfterMs: NOW_MS + 9, limit: 1 })).items).toMatchObject([{ sessionId: "s-1" }]);
    });

    test("every conversation is listed by start, with its last entry and whether it has ended", async () => {
      const { store, fixture } = context();
      await renewTwice(store);
      const before = fixture.rowsRead();
      const all = await readAll((cursor) => store.listConversations({ limit: 2, ...cursor }));
      expect(fixture.rowsRead() - before).toBeLessThanOrEqual(2 * 3);
      expect(all).toMatchObject([
        { sessionId: "session-1", sessionKey: "agent:main:main", startedAtMs: NOW_MS + 1, activeAtMs: NOW_MS + 5, isEnded: true },
        { sessionId: "b-1", sessionKey: "agent:main:b", startedAtMs: NOW_MS + 6, activeAtMs: NOW_MS + 6, isEnded: false, copyBytes: 0 },
        { sessionId: "session-2", activeAtMs: NOW_MS + 7, isEnded: true },
        { sessionId: "session-3", activeAtMs: NOW_MS + 8, isEnded: false, isPrivate: true },
      ]);
      expect(all.map(({ isPrivate }) => isPrivate)).toEqual([undefined, expect.any(Boolean), undefined, true]);
      expect(all[0]?.lastEntryId).toBe((await store.readTranscript("session-1", { limit: 1 })).items[0]?.id);
      expect(all[1]?.lastEntryId).toBeUndefined();
      expect(all[0]?.copyBytes).toBeGreaterThan(100);
      const own = await readAll((cursor) => store.listConversations({ sessionKey: "agent:main:main", limit: 1, ...cursor }));
      expect(own.map(({ sessionId }) => sessionId)).toEqual(["session-1", "session-2", "session-3"]);
    });

    test("removes an ended conversation, but not the current one", async () => {
      const { store } = context();
      await renewTwice(store);
      await expect(store.deleteConversation("session-3", { nowMs: NOW_MS })).rejects.toMatchObject({ code: "conflict" });
      expect(await store.deleteConversation("session-1", { nowMs: NOW_MS })).toBe(true);
      expect(await store.deleteConversation("session-1", { nowMs: NOW_MS })).toBe(false);
      expect((await store.readTranscript("session-1", { limit: 9 })).items).toEqual([]);
      expect(await store.readTurn("t1")).toBeUndefined();
      expect(await store.readSession("agent:main:main")).toMatchObject({ sessionId: "session-3" });
      expect((await store.counts()).sessions).toBe(2);
      expect(await store.deleteSession("agent:main:main", { nowMs: NOW_MS })).toEqual(["session-2", "session-3"]);
    });

    test("does not remove a conversation with a running turn", async () => {
      const { store } = context();
      await store.startTurn(sampleTurn("t1", []));
      await store.resetSession("agent:main:main", { sessionId: "session-2", isPrivate: true, nowMs: NOW_MS });
      await expect(store.deleteConversation("session-1", { nowMs: NOW_MS })).rejects.toMatchObject({ code: "conflict" });
      await store.endTurn(sampleEnd("t1"));
      expect(await store.deleteConversation("session-1", { nowMs: NOW_MS })).toBe(true);
    });

    test("removals free space", async () => {
      const { store } = context();
      const words = "It was a long conversation about nothing in particular. ".repeat(2000);
      const empty = await store.usedBytes();
      await store.startTurn(sampleTurn("t1", [], { entries: [{ type: "notice", level: "info", text: words }] }));
      await store.endTurn(sampleEnd("t1"));
      const full = await store.usedBytes();
      expect(full - empty).toBeGreaterThan(100_000);
      await store.deleteSession("agent:main:main", { nowMs: NOW_MS });
      expect(await store.usedBytes()).toBeLessThan(full - 100_000);
    });
  });
}
