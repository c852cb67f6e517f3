import { mkdtempDisposable, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { FileWrite, NoteEntrySource, NoteVerdict, RunFacts } from "@factotum/agent-contract";
import { describe, expect, test } from "vitest";
import { SeededRandom } from "../../test/recall/random.ts";
import { generateTurns } from "../../test/rules/turns.ts";
import { NoteRules, type ConversationTexts } from "../index.ts";

const RUN: RunFacts = {
  runId: "turn-1",
  kind: "user",
  agentId: "main",
  sessionKey: "agent:main:main",
  sessionId: "s1",
  workspace: "/nowhere",
  owner: true,
  timeZone: "UTC",
};

/** A workspace whose `MEMORY.md` is changed by the rules alone. */
async function startNotes({ maxChars = 2_000, texts = { outputs: [], said: [] } }: { maxChars?: number; texts?: ConversationTexts } = {}) {
  const folder = await mkdtempDisposable(path.join(tmpdir(), "factotum-rules-"));
  const recorded = new Map<string, NoteEntrySource[]>();
  const scene = { texts, startMs: 0 };
  const rules = new NoteRules({
    notesAt: async (file) => (file.endsWith(".txt") ? [] : [{ agentId: "main", file: path.relative(folder.path, file) }]),
    maxCharsOf: () => maxChars,
    textsOf: async () => scene.texts,
    record: async ({ file }, entries) => void recorded.set(file, [...(recorded.get(file) ?? []), ...entries]),
    sourcesOf: async ({ file }) => recorded.get(file) ?? [],
    startOf: async () => scene.startMs,
    now: () => 1_000,
  });
  const place = (file: string): string => path.join(folder.path, file);
  const read = async (file = "MEMORY.md"): Promise<string> => readFile(place(file), "utf8").catch(() => "");
  const write = async (
    content: string,
    { file = "MEMORY.md", ...fields }: { file?: string } & Partial<FileWrite> = {},
  ): Promise<NoteVerdict> =>
    rules.change([{ path: place(file), content, run: RUN, tainted: false, ...fields }], async (contents) =>
      writeFile(place(file), contents.get(place(file)) ?? content),
    );
  return Object.assign(scene, { recorded, rules, place, read, write, [Symbol.asyncDispose]: async () => folder.remove() });
}

const messageOf = (verdict: NoteVerdict): string =>
  verdict.type === "refused" ? verdict.message : [...verdict.remarks.values()].join("\n");

test(
  "of 1,000 turns that are 70 % scaffolding, at most 1 % of what gets in is junk, and the facts get in",
  { timeout: 120_000 },
  async () => {
    await using notes = await startNotes({ maxChars: 200_000 });
    const turns = generateTurns(1_000, new SeededRandom(24));
    const lost: string[] = [];
    for (const { label, entry, texts } of turns) {
      notes.texts = texts;
      const verdict = await notes.write(`${await notes.read()}- ${entry}\n`);
      if (label === "fact" && verdict.type === "refused") lost.push(entry);
    }
    const lines = (await notes.read()).split("\n").filter((line) => line.trim() !== "");
    const words = (line: string): ReadonlySet<string> => new Set(line.toLowerCase().match(/[\p{L}\p{N}]+/gu));
    const repeats = lines.filter((line, index) =>
      lines.slice(0, index).some((one) => words(one).intersection(words(line)).size / Math.max(words(one).size, words(line).size) >= 0.9),
    );
    const scaffolding = turns
      .filter(({ label }) => label !== "fact" && label !== "duplicate")
      .map(({ entry }) => `- ${entry.split("\n")[0] ?? ""}`);
    const junk = lines.filter((line) => scaffolding.includes(line));
    const facts = turns.filter(({ label }) => label === "fact");
    expect({ repeats: repeats.length, junk }).toEqual({ repeats: 0, junk: [] });
    expect((repeats.length + junk.length) / lines.length).toBeLessThanOrEqual(0.01);
    expect(turns.filter(({ label }) => label !== "fact").length).toBeGreaterThan(650);
    expect(lines.length).toBeGreaterThan(0.97 * facts.length);
    expect(lost).toEqual([]);
  },
);

describe("an entry that says the same as another", () => {
  const OLD = "# Home\n- The rent for the flat in Lisbon is 900 euros a month.\n- Ada likes tea\n";

  test("is not added again, and takes the place of the older one if its words are others", async () => {
    await using notes = await startNotes();
    await notes.write(OLD);
    expect(messageOf(await notes.write(`${OLD}- ada likes TEA!\n`))).toContain('"ada likes TEA!" stood there already');
    expect(await notes.read()).toBe(OLD);
    const newer = "- The rent for the flat in Lisbon is 950 euros a month.";
    expect(messageOf(await notes.write(`${OLD}${newer}\n`))).toContain("900 euros");
    expect(await notes.read()).toBe(`# Home\n- Ada likes tea\n${newer}\n`);
  });

  test("is refused under another heading, unless it is short enough to mean another thing there", async () => {
    await using notes = await startNotes();
    await notes.write("## Anna\n- Birthday: 3 May\n- Works from Monday to Friday from nine to five in Lisbon\n");
    const anna = await notes.read();
    expect(await notes.write(`${anna}\n## Ben\n- Birthday: 3 May\n`)).toMatchObject({ type: "made" });
    const refused = await notes.write(`${anna}\n## Ben\n- Works from Monday to Friday from nine to five in Lisbon\n`);
    expect(messageOf(refused)).toContain('under "Anna" already');
    expect(await notes.read()).toBe(`${anna}\n## Ben\n- Birthday: 3 May\n`);
  });

  test("stays where the owner has put it twice, and where other items hang on it", async () => {
    await using notes = await startNotes();
    const twice = "- Ada likes tea\n- Ada likes tea\n- The boxes in the cellar of the old house hold ten things:\n  - books\n";
    await writeFile(notes.place("MEMORY.md"), twice);
    expect(await notes.write(`${twice}- Ben likes milk\n`)).toEqual({ type: "made", remarks: new Map() });
    const verdict = await notes.write(`${await notes.read()}- The boxes in the cellar of the old house hold nine things\n`);
    expect(messageOf(verdict)).toContain("Change that entry");
  });
});

describe("a write that is too long", () => {
  test("is refused, unless it makes the file shorter", async () => {
    await using notes = await startNotes({ maxChars: 60 });
    const long = "- Ada lives in Lisbon\n- Ben lives in Porto\n- Carla lives in a small house in Braga\n";
    expect(messageOf(await notes.write(long))).toMatch(/would have 82 characters.*only the first 60.*memory\/YYYY-MM-DD\.md/);
    expect(await notes.read()).toBe("");
    await writeFile(notes.place("MEMORY.md"), `${long}- Dieter lives in Graz\n`);
    expect(await notes.write(long)).toMatchObject({ type: "made" });
    expect(await notes.write("x\n".repeat(100_000))).toMatchObject({ type: "refused" });
  });
});

describe("what tools have answered", () => {
  test("is no entry, unless a person has said it or it is in other words", async () => {
    await using notes = await startNotes({ texts: { outputs: ["NAME  PORT\nprinter 192.168.1.20 room 4"], said: [] } });
    expect(messageOf(await notes.write("- printer 192.168.1.20, room 4\n"))).toContain("is output of a tool");
    expect(await notes.write("- The printer in room 4 has the address 192.168.1.20\n")).toMatchObject({ type: "made" });
    notes.texts = { ...notes.texts, said: ["remember: printer 192.168.1.20 room 4"] };
    expect(await notes.write("- printer 192.168.1.20, room 4\n")).toMatchObject({ type: "made" });
  });

  test("may stand in daily notes, which are only recorded", async () => {
    await using notes = await startNotes();
    expect(await notes.write("- HEARTBEAT_OK\n", { file: "memory/2026-03-01.md" }).catch(() => "no folder")).toBe("no folder");
    expect(await notes.write("- HEARTBEAT_OK\n", { file: "memory-2026.md" })).toMatchObject({ type: "made" });
  });
});

test.each([
  "- Systems: the NAS runs Debian",
  "- Ada's heartbeat monitor is a Polar H10",
  "- The sender of the parcel was Bruno",
  "- Meeting notes are in `notes/[2026]/summary.md`",
  "```sh\n$ npm run deploy\n```",
  "- [ ] Renew the passport",
  "- Exit 4 of the motorway leads to the cabin",
  "| Anna | 3 May |",
])("a fact that resembles junk gets in: %s", async (entry) => {
  await using notes = await startNotes();
  expect(await notes.write(`${entry}\n`)).toEqual({ type: "made", remarks: new Map() });
});

test("changes are made one after another, also after one that failed", async () => {
  await using notes = await startNotes();
  const gate = Promise.withResolvers<void>();
  const seen: string[] = [];
  const change = async (name: string, work: () => Promise<void>): Promise<NoteVerdict> =>
    notes.rules.change([{ path: notes.place("MEMORY.md"), content: `- ${name} likes tea\n`, run: RUN, tainted: false }], async () => {
      seen.push(`start ${name}`);
      await work();
      seen.push(`end ${name}`);
    });
  const all = Promise.allSettled([
    change("Ada", () => gate.promise),
    change("Ben", () => Promise.reject(new Error("no"))),
    change("Carla", async () => undefined),
  ]);
  const other = notes.rules.change(
    [{ path: notes.place("plan.txt"), content: "", run: RUN, tainted: false }],
    async () => void seen.push("other"),
  );
  await other;
  gate.resolve();
  expect((await all).map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  expect(seen.filter((one) => one !== "other")).toEqual(["start Ada", "end Ada", "start Ben", "start Carla", "end Carla"]);
});

test("it is recorded who wrote which entry, before it is written", async () => {
  await using notes = await startNotes();
  await notes.write("- one fact\n");
  await notes.write("- one fact\n- another fact\n", { tainted: true });
  await notes.write("- third fact\n", { run: { ...RUN, kind: "heartbeat", runId: "turn-2" } });
  await notes.write("- fourth fact\n", { run: { ...RUN, kind: "cron", runId: "turn-3" } });
  await notes.write("- fifth fact\n", { run: { ...RUN, kind: "hook", runId: "turn-4" } });
  await notes.write("- sixth fact\n", { run: { ...RUN, owner: false, runId: "turn-5" } });
  const rows = notes.recorded.get("MEMORY.md") ?? [];
  expect(rows.map(({ origin, kind, turnId }) => `${origin} ${kind} ${turnId}`)).toEqual([
    "agent user turn-1",
    "untrusted user turn-1",
    "system heartbeat turn-2",
    "system cron turn-3",
    "system hook turn-4",
    "untrusted user turn-5",
  ]);
  expect(new Set(rows.map(({ digest }) => digest)).size).toBe(6);
  expect(rows[0]).toMatchObject({ sessionKey: "agent:main:main", sessionId: "s1", atMs: 1_000 });
});

test("a whole content does not remove what another turn has added since this one began; an edit may, and so may a later turn", async () => {
  await using notes = await startNotes();
  await notes.write("- Ada likes tea\n", { isBlind: true });
  await notes.write("- Ada likes tea\n- Ben likes milk\n", { run: { ...RUN, runId: "turn-2" } });
  const verdict = await notes.write("- Ada likes tea\n- Carla likes cake\n", { isBlind: true });
  expect(messageOf(verdict)).toMatch(/another conversation has just added "Ben likes milk".*with edit/);
  expect(await notes.write("- Ben likes milk\n- Carla likes cake\n", { isBlind: true })).toMatchObject({ type: "made" });
  expect(await notes.write("- Carla likes cake\n")).toMatchObject({ type: "made" });
  await notes.write("- Carla likes cake\n- Dieter likes beer\n", { run: { ...RUN, runId: "turn-2" } });
  notes.startMs = 2_000;
  expect(await notes.write("- Carla likes cake\n", { isBlind: true })).toMatchObject({ type: "made" });
});

test.each([
  ["many short entries", Array.from({ length: 5_000 }, (_, index) => `- a${index.toString(36)} b`).join("\n")],
  ["a long line of spaces", `- a${" ".repeat(38_000)}b`],
  ["a heading of spaces and marks", `# a${" #".repeat(19_000)} b`],
  ["a line like a stack", `- at ${"(:1".repeat(12_000)}`],
  [
    "the same words in another order each",
    Array.from({ length: 600 }, (_, index) => `- one two three four ${index} five six seven`).join("\n"),
  ],
])("a hostile text takes no time: %s", { timeout: 10_000 }, async (_name, content) => {
  await using notes = await startNotes({ maxChars: 40_000, texts: { outputs: ["a b\n".repeat(100_000)], said: [] } });
  expect(["made", "refused"]).toContain((await notes.write(content)).type);
});
