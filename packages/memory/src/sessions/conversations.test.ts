import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { MemoryHit } from "@factotum/agent-contract";
import { afterEach, beforeEach, expect, test } from "vitest";
import { allEmbedded } from "../../test/all-embedded.ts";
import { AGENT, createNoteRig, NOW_MS, type NoteRig } from "../../test/note-rig.ts";
import { conceptVector, createTestEmbeddings } from "../../test/test-embeddings.ts";
import type { ConversationSource, SaidEntry, SearchableConversation } from "../index.ts";

interface Told {
  entries: SaidEntry[];
  isShared: boolean;
  inContextFrom?: string;
}

let rig: NoteRig;
let told: Map<string, Told>;
let reads: string[];
beforeEach(async () => {
  told = new Map();
  reads = [];
  rig = await createNoteRig({ conversations: source });
});
afterEach(() => rig[Symbol.asyncDispose]());

const source: ConversationSource = {
  list: async () =>
    [...told].map(([sessionId, { entries, isShared, inContextFrom }]): SearchableConversation => {
      const last = entries.at(-1);
      const context = inContextFrom === undefined ? {} : { inContextFrom };
      return { sessionId, lastEntryId: last?.id ?? "", activeAtMs: last?.atMs ?? 0, isShared, ...context };
    }),
  hasEnded: async () => told.size > 0,
  async *read(sessionId, { from, after }) {
    for (const entry of told.get(sessionId)?.entries ?? [])
      if ((from === undefined || entry.id >= from) && (after === undefined || entry.id > after)) {
        reads.push(entry.id);
        yield entry;
      }
  },
};

/** Entries have numbers from `e01` on, over all conversations. */
function say(sessionId: string, by: SaidEntry["by"], text: string, untrusted = false): void {
  const known = told.get(sessionId) ?? { entries: [], isShared: false };
  told.set(sessionId, known);
  const number = [...told.values()].reduce((sum, { entries }) => sum + entries.length, 1);
  known.entries.push({ id: `e${String(number).padStart(3, "0")}`, atMs: NOW_MS - 86_400_000 + number, by, text, untrusted });
}

const search = async (query: string, options: Parameters<NoteRig["search"]>[1] = {}): Promise<readonly MemoryHit[]> =>
  (await rig.search(query, options)).hits;
const paths = async (query: string, options: Parameters<NoteRig["search"]>[1] = {}): Promise<readonly string[]> =>
  (await search(query, options)).map(({ path }) => path);

test("what was said is found next to notes, cited by its entry, and each source alone", async () => {
  await rig.put("memory/2026-11-20.md", "The boiler was serviced.\n");
  say("s-1", "owner", "Who serviced the boiler?");
  say("s-1", "assistant", "Karl did.\nThe boiler is as good as new.");
  expect((await paths("boiler")).toSorted()).toEqual(["memory/2026-11-20.md", "s-1#e001", "s-1#e002"]);
  expect(await paths("boiler", { sources: ["notes"] })).toEqual(["memory/2026-11-20.md"]);
  expect(await search("karl", { sources: ["sessions"] })).toMatchObject([
    {
      path: "s-1#e002",
      startLine: 1,
      endLine: 2,
      text: "assistant: Karl did.\nThe boiler is as good as new.",
      source: "sessions",
      origin: "agent",
      day: "2026-11-27",
    },
  ]);
  expect(await rig.memory.status(AGENT)).toMatchObject({ files: 1, conversations: 1, chunks: 3 });
});

test("only what is new is read, and an index is the same when it is built again", async () => {
  for (let index = 0; index < 120; index += 1) say("s-1", "owner", `apples ${index}`);
  expect(await paths("apples 7")).toContain("s-1#e008");
  expect(reads.splice(0)).toHaveLength(120);
  say("s-1", "assistant", "pears");
  say("s-2", "owner", "plums");
  expect(await paths("pears plums")).toEqual(["s-2#e122", "s-1#e121"]);
  expect(reads.splice(0)).toEqual(["e121", "e122"]);
  await rig.memory.close();
  const again = rig.reopen();
  const { hits } = await again.search({ query: "pears", maxResults: 6, minScore: 0, sources: ["sessions"] }, AGENT);
  expect(hits).toHaveLength(1);
  expect(reads).toEqual([]);
  expect(await again.index({ ...AGENT, rebuild: true })).toMatchObject({ changes: [], status: { conversations: 2, chunks: 122 } });
});

test("what may no longer be searched leaves the index and its file", async () => {
  say("s-1", "owner", "CANARYWORD");
  say("s-2", "owner", "another canaryword");
  expect(await paths("canaryword")).toHaveLength(2);
  told.delete("s-1");
  expect(await paths("canaryword")).toEqual(["s-2#e002"]);
  told.delete("s-2");
  expect((await rig.memory.index({ ...AGENT, rebuild: false })).changes).toEqual([{ path: "s-2", type: "removed" }]);
  expect((await readFile(join(rig.folder, "main.sqlite"), "latin1")).toLowerCase()).not.toContain("canaryword");
});

test("a conversation in which someone else writes is no longer searched; a shared one is, as text of others", async () => {
  say("s-1", "owner", "apples");
  expect(await paths("apples")).toEqual(["s-1#e001"]);
  say("s-1", "other", "apples of mine");
  expect(await paths("apples")).toEqual([]);
  say("s-1", "owner", "apples again");
  expect(await paths("apples")).toEqual([]);
  say("s-2", "owner", "pears");
  const shared = told.get("s-2");
  if (shared !== undefined) shared.isShared = true;
  say("s-2", "other", "pears of mine");
  expect((await search("pears")).map(({ path, origin }) => `${path} ${origin}`).toSorted()).toEqual([
    "s-2#e004 owner",
    "s-2#e005 untrusted",
  ]);
});

test("what the assistant says after text of others is marked, also when it is read later", async () => {
  say("s-1", "assistant", "apples before");
  say("s-1", "assistant", "", true);
  expect(await search("apples")).toMatchObject([{ origin: "agent" }]);
  say("s-1", "assistant", "apples after");
  say("s-1", "owner", "my apples");
  const origins = (await search("apples")).map(({ path, origin }) => `${path} ${origin}`).toSorted();
  expect(origins).toEqual(["s-1#e001 agent", "s-1#e003 untrusted", "s-1#e004 owner"]);
});

test("what the requests of a conversation contain is left out of its own searches", async () => {
  say("s-1", "owner", "apples first");
  say("s-1", "owner", "apples second");
  say("s-2", "owner", "apples third");
  expect(await paths("apples", { exceptSession: "s-1" })).toEqual(["s-2#e003"]);
  const own = told.get("s-1");
  if (own !== undefined) own.inContextFrom = "e002";
  expect((await paths("apples", { exceptSession: "s-1" })).toSorted()).toEqual(["s-1#e001", "s-2#e003"]);
});

test("a transcript that is another one than before is read again", async () => {
  say("s-1", "owner", "apples");
  say("s-1", "owner", "pears");
  expect(await paths("pears")).toHaveLength(1);
  told.get("s-1")?.entries.pop();
  expect(await paths("pears")).toEqual([]);
  expect(await paths("apples")).toHaveLength(1);
});

test("a conversation is shown from an entry on, with its marks; nothing else is", async () => {
  say("s-1", "owner", "Who?");
  say("s-1", "assistant", "Karl.\nHe was on time.");
  say("s-1", "assistant", "", true);
  say("s-1", "assistant", "So says the letter.");
  const get = (path: string, from = 1, lines = 120) => rig.memory.get({ path, from, lines }, AGENT);
  expect(await get("s-1#e001")).toMatchObject({
    text: "owner: Who?\n\nassistant: Karl.\nHe was on time.\n\nassistant: So says the letter.",
    origin: "untrusted",
  });
  expect(await get("s-1#e002", 2, 1)).toMatchObject({
    text: "He was on time.",
    startLine: 2,
    endLine: 2,
    origin: "agent",
    isCut: true,
    source: "sessions",
  });
  expect(await get("s-1#e004")).toMatchObject({ isCut: false });
  for (const path of ["s-1#e003", "s-1#e009", "s-9#e001", "s-1", "#e001", "s-1#"])
    expect(await get(path)).toMatchObject({ type: "not-found" });
  expect(await get("s-1#e004", 9)).toMatchObject({ type: "not-found", message: "s-1#e004 has 1 lines." });
  told.clear();
  expect(await get("s-1#e001")).toMatchObject({ type: "not-found" });
});

test("what was said is found by meaning, in the same bounds as by words; vectors go with it", async () => {
  await using near = await createNoteRig({
    conversations: source,
    embeddings: createTestEmbeddings(conceptVector([["boiler", "heating"], ["tea"]])),
  });
  const found = async (options: Parameters<NoteRig["search"]>[1] = {}): Promise<readonly string[]> => {
    const { hits } = await near.search("heating", options);
    return hits.map(({ path }) => path).toSorted();
  };
  const embed = async (): Promise<void> => {
    await near.memory.index({ ...AGENT, rebuild: false });
    await allEmbedded(near.memory);
  };
  await near.put("memory/2026-11-20.md", "Karl knows the boiler.\n");
  say("s-1", "owner", "The boiler is old.");
  say("s-1", "owner", "Is the boiler loud?");
  say("s-2", "owner", "The boiler was dear.");
  await embed();
  expect(await found()).toEqual(["memory/2026-11-20.md", "s-1#e001", "s-1#e002", "s-2#e003"]);
  expect(await found({ sources: ["notes"], maxResults: 1 })).toEqual(["memory/2026-11-20.md"]);
  expect(await found({ sources: ["sessions"] })).toEqual(["s-1#e001", "s-1#e002", "s-2#e003"]);
  expect(await found({ sources: ["sessions"], exceptSession: "s-1" })).toEqual(["s-2#e003"]);
  const own = told.get("s-1");
  if (own !== undefined) own.inContextFrom = "e002";
  expect(await found({ sources: ["sessions"], exceptSession: "s-1" })).toContain("s-2#e003");
  expect(await found({ sources: ["sessions"], exceptSession: "s-1" })).toEqual(["s-1#e001", "s-2#e003"]);
  // Many of its own do not take the places of others.
  for (let index = 0; index < 60; index += 1) say("s-1", "owner", `boiler boiler ${index}`);
  await embed();
  expect(await found({ exceptSession: "s-1", maxResults: 3 })).toEqual(["memory/2026-11-20.md", "s-1#e001", "s-2#e003"]);
  expect(await found({ sources: ["notes"], maxResults: 3 })).toEqual(["memory/2026-11-20.md"]);
  say("s-1", "other", "boiler of mine");
  told.delete("s-2");
  await embed();
  await near.memory.close();
  using vectors = new DatabaseSync(join(near.folder, "vectors", "main.sqlite"));
  expect(vectors.prepare("SELECT count(*) AS count FROM vectors").get()).toEqual({ count: 1 });
});
