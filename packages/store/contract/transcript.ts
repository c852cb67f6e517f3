import { describe, expect, test } from "vitest";
import { withoutUndefined } from "@factotum/agent-contract";
import type { Store, TranscriptEntry } from "../src/index.ts";
import {
  assistantEntry,
  compactionEntry,
  importedSession,
  NOW_MS,
  OWNER,
  sampleEnd,
  sampleMessage,
  samplePrompt,
  sampleSession,
  sampleTurn,
  userEntry,
} from "./samples.ts";
import type { ContractContext } from "./contract-context.ts";

/** More images than any of these tests has. */
const IMAGES = { maxChars: 100_000_000, text: "left out" };

async function appendTexts(store: Store, texts: readonly string[]): Promise<readonly TranscriptEntry[]> {
  await store.createSession(sampleSession(), { nowMs: NOW_MS });
  return Promise.all(texts.map((text) => store.appendEntry("session-1", userEntry(text), { timestampMs: NOW_MS })));
}

async function exported(store: Store, sessionId: string, options?: { readonly after: string }): Promise<readonly TranscriptEntry[]> {
  const entries: TranscriptEntry[] = [];
  for await (const entry of store.exportTranscript(sessionId, options)) entries.push(entry);
  return entries;
}

export function describeTranscript(context: () => ContractContext): void {
  describe("transcript", () => {
    test("a notice keeps its fields", async () => {
      const { store } = context();
      await store.createSession(sampleSession(), { nowMs: NOW_MS });
      const note = {
        type: "notice",
        level: "warning",
        text: "A file was not sent.",
        key: "k",
        tellsModel: true,
        tainted: true,
        blocks: [{ type: "list", items: ["a"] }],
      } as const;
      const entry = await store.appendEntry("session-1", note, { timestampMs: NOW_MS });
      expect(entry).toMatchObject(note);
      expect((await store.readTranscript("session-1", { limit: 5 })).items).toEqual([entry]);
    });

    test("a scan looks at a bounded number of the newest entries and continues before them", async () => {
      const { store } = context();
      const entries = await appendTexts(store, ["one tea", 'two "tea" Ä', "three", "four TEA_"]);
      const first = await store.scanEntries({ words: ["tea"], scan: 2 });
      expect(first).toMatchObject({
        found: [{ sessionKey: "agent:main:main", entry: entries[3] }],
        reachedMs: NOW_MS,
        before: entries[2]?.id,
      });
      const second = await store.scanEntries({ words: ["tea"], scan: 2, before: first.before ?? "" });
      expect(second.found.map(({ entry }) => entry.id)).toEqual([entries[1]?.id, entries[0]?.id]);
      const end = await store.scanEntries({ words: ["tea"], scan: 2, before: second.before ?? "" });
      expect(end).toEqual({ found: [] });
      for (const words of [["_"], ['"tea"'], ["ä", "two"]]) expect((await store.scanEntries({ words, scan: 9 })).found).toHaveLength(1);
    });

    test("entries form a chain, and their ids sort in the order of appending", async () => {
      const { store } = context();
      const entries = await appendTexts(store, ["a", "b", "c"]);
      expect(entries.map((entry) => entry.parentId)).toEqual([undefined, entries[0]?.id, entries[1]?.id]);
      const ids = entries.map((entry) => entry.id);
      expect(ids.toSorted()).toEqual(ids);
      expect(await exported(store, "session-1")).toEqual(entries);
      expect(await exported(store, "session-9")).toEqual([]);
    });

    test("a page ends before an entry, is oldest first, and reads one entry more than it shows", async () => {
      const { store, fixture } = context();
      const texts = Array.from({ length: 30 }, (_, index) => `${index}`);
      const entries = await appendTexts(store, texts);
      const before = fixture.rowsRead();
      const last = await store.readTranscript("session-1", { limit: 10 });
      expect(last.items).toEqual(entries.slice(20));
      // The entries, and the row of the conversation.
      expect(fixture.rowsRead() - before).toBeLessThanOrEqual(10 + 1 + 1);
      const middle = await store.readTranscript("session-1", { limit: 19, ...withoutUndefined({ before: last.cursor }) });
      expect(middle.items).toEqual(entries.slice(1, 20));
      const first = await store.readTranscript("session-1", {
        limit: 19,
        ...withoutUndefined({ before: middle.cursor }),
      });
      expect(first).toEqual({ items: entries.slice(0, 1) });
      await expect(store.readTranscript("session-1", { limit: 1, before: "x" })).rejects.toMatchObject({ code: "invalid" });
    });

    test("without the silent turns, a page continues with the entries before them", async () => {
      const { store } = context();
      const [first] = await appendTexts(store, ["a"]);
      for (const [id, isSilent] of [
        ["t1", true],
        ["t2", false],
        ["t3", true],
      ] as const) {
        const { input } = await store.acceptInput(sampleMessage(id), { admission: OWNER, receivedAtMs: NOW_MS });
        await store.startTurn(sampleTurn(id, [input.id]));
        await store.endTurn(sampleEnd(id, { isSilent }));
      }
      const { sessionId } = (await store.readSession("agent:main:main")) ?? {};
      const all = (await store.readTranscript(sessionId ?? "", { limit: 50 })).items;
      expect(new Set(all.map(({ turnId }) => turnId))).toEqual(new Set([undefined, "t1", "t2", "t3"]));
      const page = await store.readTranscript(sessionId ?? "", { limit: 1, exceptSilent: true });
      expect(page.items.map(({ turnId }) => turnId)).toEqual(["t2"]);
      const rest = await store.readTranscript(sessionId ?? "", {
        limit: 50,
        exceptSilent: true,
        ...withoutUndefined({ before: page.cursor }),
      });
      expect(new Set(rest.items.map(({ turnId }) => turnId))).toEqual(new Set([undefined, "t2"]));
      expect(rest.items[0]).toEqual(first);
      expect(await store.readTurn("t1")).not.toHaveProperty("silent");
    });

    test("the context is the last compaction and what it kept, without notices", async () => {
      const { store, fixture } = context();
      const entries = await appendTexts(store, ["a", "b", "c", "d"]);
      await store.appendEntry("session-1", { type: "notice", level: "info", text: "hello" }, { timestampMs: NOW_MS });
      expect((await store.readContext("session-1")).map((entry) => entry.id)).toEqual(entries.map((entry) => entry.id));
      const first = await store.appendEntry("session-1", compactionEntry(entries[1]?.id ?? "", "first"), { timestampMs: NOW_MS });
      const late = await store.appendEntry("session-1", assistantEntry("e"), { timestampMs: NOW_MS });
      expect((await store.readContext("session-1")).map((entry) => entry.id)).toEqual([
        first.id,
        ...entries.slice(1).map((entry) => entry.id),
        late.id,
      ]);
      const second = await store.appendEntry("session-1", compactionEntry(late.id, "second"), { timestampMs: NOW_MS });
      const before = fixture.rowsRead();
      expect((await store.readContext("session-1")).map((entry) => entry.id)).toEqual([second.id, late.id]);
      expect(fixture.rowsRead() - before).toBeLessThanOrEqual(3);
      expect((await store.readSession("agent:main:main"))?.compactionCount).toBe(2);
    });

    test("the recent context is the whole context, or its newest messages and the number of those before them", async () => {
      const { store, fixture } = context();
      const texts = Array.from({ length: 12 }, (_, index) => `${index} ${"x".repeat(700_000)}`);
      const entries = await appendTexts(store, texts);
      const read = async (maxChars: number): ReturnType<typeof store.readRecentContext> =>
        store.readRecentContext("session-1", { maxChars, images: IMAGES });
      expect(await read(100_000_000)).toEqual({ entries, omitted: 0 });
      const before = fixture.rowsRead();
      expect(await read(2_000_000)).toEqual({ entries: entries.slice(8), omitted: 8 });
      expect(fixture.rowsRead() - before).toBeLessThan(10);
      const compaction = await store.appendEntry("session-1", compactionEntry(entries[2]?.id ?? "", "first"), { timestampMs: NOW_MS });
      expect(await read(2_000_000)).toEqual({ entries: [compaction, ...entries.slice(8)], omitted: 6 });
      expect((await read(100_000_000)).entries).toEqual(await store.readContext("session-1"));
      await store.appendEntry("session-1", compactionEntry(entries[11]?.id ?? "", "second"), { timestampMs: NOW_MS });
      expect(await read(1)).toMatchObject({ entries: [{ type: "compaction" }, { id: entries[11]?.id }], omitted: 0 });
      expect(await store.readRecentContext("session-9", { maxChars: 1, images: IMAGES })).toEqual({ entries: [], omitted: 0 });
    });

    test("an export with `after` starts after that entry", async () => {
      const { store } = context();
      const [first, ...rest] = await appendTexts(store, ["a", "b", "c"]);
      expect(await exported(store, "session-1", { after: first?.id ?? "" })).toEqual(rest);
    });

    test("images do not count as text of the recent context", async () => {
      const { store } = context();
      await store.createSession(sampleSession(), { nowMs: NOW_MS });
      const content = [{ type: "image", data: "A".repeat(1_500_000), mimeType: "image/png" }] as const;
      const body = { type: "message", message: { role: "user", content, timestamp: 1 } } as const;
      for (let index = 0; index < 3; index += 1) await store.appendEntry("session-1", body, { timestampMs: NOW_MS });
      const { entries, omitted } = await store.readRecentContext("session-1", { maxChars: 1_000_000, images: IMAGES });
      expect([entries.length, omitted]).toEqual([3, 0]);
    });

    test("older images make room for newer ones, and every text of the recent context stays", async () => {
      const { store } = context();
      await store.createSession(sampleSession(), { nowMs: NOW_MS });
      const image = (chars: number) => ({ type: "image", data: "A".repeat(chars), mimeType: "image/png" }) as const;
      // Pages end at a million characters, so the bound carries over from page to page.
      const sizes = [10, 600_000, 600_000, 0, 600_000, 600_000];
      for (const [index, chars] of sizes.entries()) {
        const content = [{ type: "text", text: `text ${index}` } as const, ...(chars === 0 ? [] : [image(chars)])];
        const message = { role: "user", content, timestamp: 1 } as const;
        await store.appendEntry("session-1", { type: "message", message }, { timestampMs: NOW_MS });
      }
      const read = async (maxChars: number): Promise<readonly string[]> => {
        const { entries, omitted } = await store.readRecentContext("session-1", {
          maxChars: 1_000_000,
          images: { maxChars, text: "gone" },
        });
        expect(omitted).toBe(0);
        return entries.map((entry) =>
          entry.type === "message" ? entry.message.content.map((block) => (block.type === "text" ? block.text : block.type)).join() : "",
        );
      };
      const kept = sizes.map((chars, index) => (chars === 0 ? `text ${index}` : `text ${index},image`));
      expect(await read(2_400_010)).toEqual(kept);
      const left = (...indexes: readonly number[]): readonly string[] =>
        kept.map((text, index) => (indexes.includes(index) ? text.replace("image", "gone") : text));
      expect(await read(1_200_000)).toEqual(left(0, 1, 2));
      // The oldest one would fit, but a newer one did not.
      expect(await read(1_200_500)).toEqual(left(0, 1, 2));
      expect(await read(0)).toEqual(left(0, 1, 2, 4, 5));
      // The stored entries are unchanged.
      expect(await read(2_400_010)).toEqual(kept);
    });

    test.each([{}, { rerendered: true }] as const)(
      "a replacement (%j) is part of the context, and survives as it was written",
      async (mark) => {
        const { store } = context();
        const [first] = await appendTexts(store, ["a", "b"]);
        const messages = [{ entryId: first?.id ?? "", message: userEntry("left out").message }];
        const replacement = await store.appendEntry("session-1", { type: "replacement", messages, ...mark }, { timestampMs: NOW_MS });
        expect(replacement).toMatchObject({ type: "replacement", messages, ...mark });
        expect((await store.readContext("session-1")).at(-1)).toEqual(replacement);
        expect(await store.readContext("session-1", { at: first?.id ?? "" })).toHaveLength(1);
        expect((await exported(store, "session-1")).at(-1)).toEqual(replacement);
      },
    );

    test("a notice with a key is written once, is found in any conversation, and is removed with it", async () => {
      const { store, fixture } = context();
      await appendTexts(store, ["a"]);
      const notice = { type: "notice", level: "info", text: "delivered", key: "k1" } as const;
      const [first, twin] = await Promise.all([
        store.appendEntry("session-1", notice, { timestampMs: NOW_MS }),
        store.appendEntry("session-1", notice, { timestampMs: NOW_MS + 1 }),
      ]);
      expect(first).toMatchObject(notice);
      expect(twin).toEqual(first);
      await store.createSession(sampleSession({ key: "agent:main:b", sessionId: "session-2" }), { nowMs: NOW_MS });
      expect(await store.appendEntry("session-2", { ...notice, text: "again" }, { timestampMs: NOW_MS })).toEqual(first);
      expect(await exported(store, "session-1")).toHaveLength(2);
      expect(await exported(store, "session-2")).toEqual([]);
      expect(await store.findNotice("k2")).toBeUndefined();
      const reopened = await fixture.open();
      expect(await reopened.findNotice("k1")).toEqual(first);
      expect((await reopened.readTranscript("session-1", { limit: 9 })).items.at(-1)).toEqual(first);
      await reopened.deleteSession("agent:main:main", { nowMs: NOW_MS });
      expect(await reopened.findNotice("k1")).toBeUndefined();
    });

    test("an imported notice has no key: another copy of it may be here", async () => {
      const { store } = context();
      await store.createSession(sampleSession({ key: "agent:main:b", sessionId: "session-2" }), { nowMs: NOW_MS });
      const body = { type: "notice", level: "info", text: "x", key: "k1" } as const;
      await store.appendEntry("session-2", body, { timestampMs: NOW_MS });
      await store.importSession(importedSession({ entries: [{ id: "1", timestampMs: NOW_MS, body }] }));
      expect(await exported(store, "session-1")).toMatchObject([{ type: "notice", text: "x" }]);
      expect((await exported(store, "session-1"))[0]).not.toHaveProperty("key");
    });

    test("a compaction that keeps an entry of another session is refused", async () => {
      const { store } = context();
      const [entry] = await appendTexts(store, ["a"]);
      await store.createSession(sampleSession({ key: "agent:main:b", sessionId: "session-2" }), { nowMs: NOW_MS });
      const wrong = store.appendEntry("session-2", compactionEntry(entry?.id ?? ""), { timestampMs: NOW_MS });
      await expect(wrong).rejects.toMatchObject({ code: "not-found" });
      expect(await exported(store, "session-2")).toEqual([]);
    });

    test("prompts are returned byte for byte, newest first", async () => {
      const { store } = context();
      await store.startTurn(sampleTurn("t1", []));
      await store.savePrompt(samplePrompt());
      const newer = samplePrompt({
        cause: "/model",
        hash: "hash-2",
        basis: "b2",
        system: { stable: samplePrompt().system.stable, session: "" },
      });
      await store.savePrompt(newer);
      expect(await store.readPrompt("session-1")).toEqual(newer);
      expect(JSON.stringify((await store.readPrompt("session-1"))?.tools)).toBe(JSON.stringify(newer.tools));
      expect(await store.readPrompt("session-9")).toBeUndefined();
      await expect(store.savePrompt(samplePrompt({ sessionId: "session-9" }))).rejects.toMatchObject({ code: "not-found" });
    });

    test("an imported session equals one from this store", async () => {
      const { store } = context();
      const session = await store.importSession(importedSession());
      const { entries: _entries, ...record } = importedSession();
      expect(session).toEqual(record);
      expect(await store.readSession("agent:main:main")).toEqual(record);
      const [one, two, compaction] = await exported(store, "session-1");
      expect(one).toMatchObject({ timestampMs: NOW_MS - 5, ...userEntry("one") });
      expect(compaction).toMatchObject({ parentId: two?.id, message: { firstKeptEntryId: two?.id } });
      expect((await store.readContext("session-1")).map((entry) => entry.id)).toEqual([compaction?.id, two?.id]);
      await expect(store.importSession(importedSession({ sessionId: "session-2" }))).rejects.toMatchObject({ code: "conflict" });
      await expect(store.importSession(importedSession({ key: "agent:main:b" }))).rejects.toMatchObject({ code: "conflict" });
      expect(await exported(store, "session-2")).toEqual([]);
    });
  });
}
