import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { ModelError, type MemoryStatus } from "@factotum/agent-contract";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { allEmbedded as everyPassage, statusWhen } from "../test/all-embedded.ts";
import { createManualClock, type ManualClock } from "../test/manual-clock.ts";
import { AGENT, createNoteRig, type NoteRig } from "../test/note-rig.ts";
import { conceptVector, createTestEmbeddings, type TestEmbeddings } from "../test/test-embeddings.ts";

const CONCEPTS = [
  ["boiler", "heating", "warm", "radiator"],
  ["tea", "drink", "cup"],
  ["dentist", "teeth"],
];

let rig: NoteRig;
let embeddings: TestEmbeddings;
let clock: ManualClock;
beforeEach(async () => {
  embeddings = createTestEmbeddings(conceptVector(CONCEPTS));
  clock = createManualClock();
  rig = await createNoteRig({ embeddings, clock });
});
afterEach(() => rig[Symbol.asyncDispose]());

const settled = async (is: (status: MemoryStatus) => boolean): Promise<MemoryStatus> => statusWhen(rig.memory, is);
const allEmbedded = async (): Promise<MemoryStatus> => everyPassage(rig.memory);
const texts = (): readonly string[] => embeddings.requests.flat();

/** Three notes, all embedded. */
async function embedNotes(): Promise<void> {
  await rig.put("memory/2026-11-20.md", "Karl looked at the boiler.\n");
  await rig.put("memory/2026-11-21.md", "Sencha tea is on the shelf.\n");
  await rig.put("MEMORY.md", "The dentist is in Ghent.\n");
  await rig.memory.index({ ...AGENT, rebuild: false });
  await allEmbedded();
}

describe("search", () => {
  test("finds by meaning what shares no word with the question, with its place, day and origin", async () => {
    rig.untrusted.add(join(rig.workspace, "memory/2026-11-20.md"));
    await embedNotes();
    const { hits, degraded } = await rig.search("who repaired our heating?", { maxResults: 1 });
    expect(degraded).toBeUndefined();
    expect(hits).toEqual([
      {
        path: "memory/2026-11-20.md",
        startLine: 1,
        endLine: 1,
        text: "Karl looked at the boiler.",
        score: 0.6,
        source: "notes",
        origin: "untrusted",
        day: "2026-11-20",
      },
    ]);
    expect((await rig.search("heating", { sources: ["sessions"] })).hits).toEqual([]);
  });

  test("what has the words and the meaning comes before what has one of both", async () => {
    await embedNotes();
    await rig.put("memory/2026-11-22.md", "The heating was repaired.\n");
    await rig.memory.index({ ...AGENT, rebuild: false });
    await allEmbedded();
    const { hits } = await rig.search("heating repaired");
    expect(hits.map(({ path, score }) => [path, score])).toEqual([
      ["memory/2026-11-22.md", 0.95],
      ["memory/2026-11-20.md", 0.25],
    ]);
  });

  test("a model that does not answer delays a search by a second, and fails when the limit is over", async () => {
    await embedNotes();
    embeddings.answer = async (_, signal) =>
      new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error)));
    const asked = texts().length;
    const searching = rig.search("boiler heating");
    await embeddings.asked(asked + 1);
    clock.pass(999);
    await expect(Promise.race([searching, new Promise((resolve) => setImmediate(() => resolve("waits")))])).resolves.toBe("waits");
    clock.pass(1);
    const { hits, degraded } = await searching;
    expect(hits[0]?.path).toBe("memory/2026-11-20.md");
    expect(degraded).toContain("took too long");
    clock.pass(9_000);
    await settled(({ problems }) => problems.some((problem) => problem.includes("test/small took longer than 10 s")));
  });

  test("a model that fails is left alone for a while, and the state says why", async () => {
    await embedNotes();
    embeddings.answer = async () =>
      Promise.reject(new ModelError("unauthorized", "The key of test is wrong.", { retry: { type: "never" } }));
    const first = await rig.search("boiler");
    expect(first.hits[0]?.path).toBe("memory/2026-11-20.md");
    expect(first.degraded).toContain("factotum memory status");
    const asked = texts().length;
    expect((await rig.search("boiler tea")).degraded).toContain("factotum memory status");
    expect(texts().length).toBe(asked);
    expect((await rig.memory.status(AGENT)).problems).toEqual([
      "Texts are not embedded (memory.embeddings.model): The key of test is wrong. The next try is in less than a minute.",
    ]);
    embeddings.answer = undefined;
    clock.pass(30_000);
    expect((await rig.search("warm")).degraded).toBeUndefined();
    expect((await rig.memory.status(AGENT)).problems).toEqual([]);
  });

  test("another model is asked at once, however the one before has failed", async () => {
    await embedNotes();
    embeddings.answer = async () =>
      Promise.reject(new ModelError("unauthorized", "The key of test is wrong.", { retry: { type: "never" } }));
    await rig.search("boiler");
    embeddings.answer = undefined;
    embeddings.current = "test/large";
    await rig.search("boiler");
    await allEmbedded();
  });

  test("without a model words alone are compared, and the vectors of an earlier one are removed", async () => {
    await embedNotes();
    const file = join(rig.folder, "vectors", "main.sqlite");
    expect(existsSync(file)).toBe(true);
    await rig.memory.close();
    embeddings.current = undefined;
    const memory = rig.reopen();
    const query = { query: "heating", maxResults: 3, minScore: 0, sources: ["notes"] } as const;
    expect(await memory.search(query, AGENT)).toEqual({ hits: [] });
    expect((await memory.status(AGENT)).embedded).toBeUndefined();
    while (existsSync(file)) await new Promise((resolve) => setImmediate(resolve));
  });
});

describe("vectors", () => {
  test("are of single statements, so that what else is in a passage does not matter", async () => {
    await rig.put("memory/2026-11-20.md", `# Day\n- Karl looked at the boiler.\n${"- The dentist called.\n".repeat(5)}`);
    await rig.put("memory/2026-11-21.md", "The heating of the dentist costs more than our heating, says the dentist.\n");
    await rig.memory.index({ ...AGENT, rebuild: false });
    await allEmbedded();
    expect(texts()).toContain("- Karl looked at the boiler.");
    expect((await rig.search("radiator", { maxResults: 1 })).hits[0]?.path).toBe("memory/2026-11-20.md");
  });

  test("are made once for a text: not after a restart, a new index, or a change elsewhere", async () => {
    await embedNotes();
    expect(texts()).toHaveLength(3);
    await rig.memory.close();
    await rm(join(rig.folder, "main.sqlite"));
    const memory = rig.reopen();
    await memory.index({ ...AGENT, rebuild: true });
    await rig.put("memory/2026-11-20.md", "Karl looked at the boiler.\n\n# Later\nRosa did, too.\n");
    await memory.index({ ...AGENT, rebuild: false });
    await embeddings.asked(4);
    await memory.close();
    expect(texts().slice(3)).toEqual(["# Later\nRosa did, too."]);
  });

  test("of another model are made in requests of 8 passages, and take the place of the old ones when all are there", async () => {
    const sections = Array.from({ length: 70 }, (_, index) => `# Section ${index}\nboiler ${index}\n`);
    await rig.put("MEMORY.md", sections.join("\n"));
    await rig.memory.index({ ...AGENT, rebuild: false });
    expect((await allEmbedded()).embedded).toEqual({ model: "test/small", chunks: 70 });
    embeddings.current = "test/large";
    await rig.search("boiler");
    await allEmbedded();
    const batches = [8, 8, 8, 8, 8, 8, 8, 8, 6];
    expect(embeddings.requests.map(({ length }) => length)).toEqual([...batches, 1, ...batches]);
    await rig.memory.close();
    using vectors = new DatabaseSync(join(rig.folder, "vectors", "main.sqlite"));
    expect(vectors.prepare("SELECT DISTINCT model FROM vectors").all()).toEqual([{ model: "test/large" }]);
  });

  test("of another length under the same name are all made again", async () => {
    await embedNotes();
    embeddings.vectorOf = (text) => [...conceptVector(CONCEPTS)(text), 1];
    await rig.search("heating");
    await embeddings.asked(7);
    await allEmbedded();
    expect((await rig.search("radiator", { maxResults: 1 })).hits[0]?.path).toBe("memory/2026-11-20.md");
  });

  test("go with their text", async () => {
    await embedNotes();
    await rm(join(rig.workspace, "memory/2026-11-20.md"));
    await rig.memory.index({ ...AGENT, rebuild: false });
    await rig.memory.close();
    using vectors = new DatabaseSync(join(rig.folder, "vectors", "main.sqlite"));
    expect(vectors.prepare("SELECT count(*) AS count FROM vectors").get()).toEqual({ count: 2 });
  });

  test("that could not be made are made later, without a search", async () => {
    embeddings.answer = async () => Promise.reject(new ModelError("unreachable", "No connection.", { retry: { type: "backoff" } }));
    await rig.put("MEMORY.md", "The dentist is in Ghent.\n");
    await rig.memory.index({ ...AGENT, rebuild: false });
    await settled(({ problems }) => problems.length > 0);
    embeddings.answer = undefined;
    clock.pass(29_999);
    expect(texts()).toHaveLength(1);
    clock.pass(1);
    await allEmbedded();
  });

  test("of one text that the model refuses do not hold up the others", async () => {
    embeddings.answer = async (all) => {
      if (all.some((text) => text.includes("teeth")))
        throw new ModelError("invalid-request", "The text is too long.", { retry: { type: "never" } });
      return Promise.resolve(all.map((text) => embeddings.vectorOf(text)));
    };
    await rig.put("MEMORY.md", "# One\nThe boiler.\n\n# Two\nThe teeth.\n\n# Three\nThe tea.\n");
    await rig.memory.index({ ...AGENT, rebuild: false });
    const status = await settled(({ embedded }) => embedded?.chunks === 2);
    expect(status.problems).toEqual(["test/small refuses 1 passage: only their words are searched."]);
    const asked = texts().length;
    await rig.memory.close();
    await rig.reopen().index({ ...AGENT, rebuild: true });
    expect(texts()).toHaveLength(asked);
  });

  test("that are damaged are made again", async () => {
    await embedNotes();
    await rig.memory.close();
    const file = join(rig.folder, "vectors", "main.sqlite");
    using vectors = new DatabaseSync(file);
    vectors.exec("PRAGMA user_version = 99");
    const memory = rig.reopen();
    await memory.index({ ...AGENT, rebuild: false });
    await embeddings.asked(6);
    await memory.close();
  });
});
