import { describe, expect, test } from "vitest";
import type { Store, TranscriptEntry } from "../src/index.ts";
import type { ContractContext } from "./contract-context.ts";
import { assistantEntry, compactionEntry, NOW_MS, sampleSession, userEntry } from "./samples.ts";

const AT = { timestampMs: NOW_MS };
const IMAGES = { maxChars: 1_000_000, text: "left out" };

/** Appends a question and an answer for each text; returns the questions. */
async function say(store: Store, ...texts: readonly string[]): Promise<readonly TranscriptEntry[]> {
  const questions: TranscriptEntry[] = [];
  for (const text of texts) {
    questions.push(await store.appendEntry("session-1", userEntry(text), AT));
    await store.appendEntry("session-1", assistantEntry(`to ${text}`), AT);
  }
  return questions;
}

function textsOf(entries: readonly TranscriptEntry[]): readonly string[] {
  return entries.flatMap((entry) =>
    entry.type === "message" && entry.message.role === "user"
      ? entry.message.content.flatMap((block) => (block.type === "text" ? [block.text] : []))
      : [],
  );
}

async function shown(store: Store): Promise<readonly string[]> {
  const read = [
    (await store.readTranscript("session-1", { limit: 100 })).items,
    await store.readContext("session-1"),
    (await store.readRecentContext("session-1", { maxChars: 1_000_000, images: IMAGES })).entries,
  ].map(textsOf);
  expect(read[1]).toEqual(read[0]);
  expect(read[2]).toEqual(read[0]);
  return read[0] ?? [];
}

async function branch(store: Store, before: TranscriptEntry | undefined, key: string): Promise<void> {
  await store.branchTranscript("session-1", { before: before?.id ?? "", key, ...AT });
}

export function describeBranches(context: () => ContractContext): void {
  describe("branches of a transcript", () => {
    test("a branch continues what is before an entry; a restart reads the same, and the other branch can be continued", async () => {
      const { store, fixture } = context();
      await store.createSession(sampleSession(), { nowMs: NOW_MS });
      const [, two] = await say(store, "one", "two", "three");
      await branch(store, two, "edit-1");
      expect(await shown(store)).toEqual(["one"]);
      const [second] = await say(store, "two again");
      expect(await shown(store)).toEqual(["one", "two again"]);
      expect(await store.readVersions("session-1")).toEqual([{ entryIds: [two?.id, second?.id], shownId: second?.id }]);
      const { found } = await store.scanEntries({ words: ["two"], scan: 100 });
      expect(found.map(({ isHidden }) => isHidden)).toEqual([false, false, true, true]);
      await store.close();

      const reopened = await fixture.open();
      expect(await shown(reopened)).toEqual(["one", "two again"]);
      expect((await reopened.readTranscript("session-1", { limit: 1 })).items).toMatchObject([{ message: { role: "assistant" } }]);
      expect(await reopened.chooseBranch("session-1", { entryId: second?.id ?? "", ...AT })).toBeUndefined();
      await reopened.chooseBranch("session-1", { entryId: two?.id ?? "", ...AT });
      expect(await shown(reopened)).toEqual(["one", "two", "three"]);
      await say(reopened, "four");
      expect(await shown(reopened)).toEqual(["one", "two", "three", "four"]);
      expect(await reopened.readVersions("session-1")).toEqual([{ entryIds: [two?.id, second?.id], shownId: two?.id }]);
      await reopened.chooseBranch("session-1", { entryId: second?.id ?? "", ...AT });
      expect(await shown(reopened)).toEqual(["one", "two again"]);
      // The request that was sent then had what was shown then.
      const old = (await reopened.readContext("session-1", { at: two?.id ?? "" })).filter(({ type }) => type === "message");
      expect(textsOf(old)).toEqual(["one", "two"]);
    });

    test("the first message, and a message of another branch, have versions; the same key branches once", async () => {
      const { store } = context();
      await store.createSession(sampleSession(), { nowMs: NOW_MS });
      const [first] = await say(store, "a");
      await branch(store, first, "edit-1");
      await branch(store, first, "edit-1");
      await store.appendEntry("session-1", { type: "notice", level: "info", text: "in between" }, AT);
      const [second] = await say(store, "b");
      await branch(store, second, "edit-2");
      const [third] = await say(store, "c");
      await branch(store, first, "edit-3");
      const [fourth] = await say(store, "d");
      expect(await store.readVersions("session-1")).toEqual([
        { entryIds: [first, second, third, fourth].map((entry) => entry?.id), shownId: fourth?.id },
      ]);
      expect(await shown(store)).toEqual(["d"]);
      await store.chooseBranch("session-1", { entryId: second?.id ?? "", ...AT });
      expect(await shown(store)).toEqual(["b"]);
      await expect(store.branchTranscript("session-1", { before: "e-nothing", key: "edit-4", ...AT })).rejects.toMatchObject({
        code: "not-found",
      });
    });

    test("a version that was dropped before the model was given it leads to the others", async () => {
      const { store } = context();
      await store.createSession(sampleSession(), { nowMs: NOW_MS });
      const [one] = await say(store, "one");
      await branch(store, one, "edit-1");
      const dropped = await store.appendEntry("session-1", { type: "ui-message", text: "one b", channel: "webchat", eventId: "x" }, AT);
      expect(await store.readVersions("session-1")).toEqual([{ entryIds: [one?.id, dropped.id], shownId: dropped.id }]);
    });

    test("a compaction counts on its own branch alone", async () => {
      const { store } = context();
      await store.createSession(sampleSession(), { nowMs: NOW_MS });
      const [, two, three] = await say(store, "one", "two", "three");
      await store.appendEntry("session-1", compactionEntry(three?.id ?? ""), AT);
      expect(textsOf(await store.readContext("session-1"))).toEqual(["three"]);
      await branch(store, two, "edit-1");
      await say(store, "two again");
      expect(textsOf(await store.readContext("session-1"))).toEqual(["one", "two again"]);
      // Made from what was said before the branch: its cut is not there.
      await expect(store.appendEntry("session-1", compactionEntry(three?.id ?? ""), AT)).rejects.toMatchObject({ code: "not-found" });
      await store.chooseBranch("session-1", { entryId: three?.id ?? "", ...AT });
      const chosen = await store.readRecentContext("session-1", { maxChars: 1_000_000, images: IMAGES });
      expect(chosen.entries.map(({ type }) => type)).toEqual(["compaction", "message", "message"]);
      expect(chosen.omitted).toBe(0);
    });
  });
}
