import { mkdir, mkdtempDisposable, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { AuditedNote, NoteEntrySource } from "@factotum/agent-contract";
import { expect, test } from "vitest";
import { noteEntries } from "../entries/note-entries.ts";
import { auditNotes, type AuditNotesOptions } from "../index.ts";

const SOURCE: Omit<NoteEntrySource, "digest"> = {
  origin: "agent",
  kind: "user",
  sessionKey: "agent:main:main",
  sessionId: "s1",
  turnId: "t1",
  atMs: 1_000,
};

async function audit(files: Readonly<Record<string, string>>, options: Partial<AuditNotesOptions> = {}): Promise<readonly AuditedNote[]> {
  await using folder = await mkdtempDisposable(path.join(tmpdir(), "factotum-audit-"));
  for (const [name, text] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(folder.path, name)), { recursive: true });
    await writeFile(path.join(folder.path, name), text);
  }
  await symlink(path.join(folder.path, "elsewhere.md"), path.join(folder.path, "USER.md")).catch(() => undefined);
  return await auditNotes({
    agentId: "main",
    workspace: folder.path,
    maxChars: 1_000,
    sourcesOf: async () => [],
    taintOf: async () => () => false,
    redact: (text) => text.replaceAll("hunter2", "[redacted]"),
    signal: new AbortController().signal,
    ...options,
  });
}

const findingsOf = (notes: readonly AuditedNote[]): readonly string[] =>
  notes.flatMap(({ path: file, findings, entries }) => [
    ...findings.map(({ type }) => `${file} ${type}`),
    ...entries.flatMap(({ startLine, findings: found }) => found.map(({ type }) => `${file}:${startLine} ${type}`)),
  ]);

test("every kind of finding is found, with the curated notes first; links and other files are left out", async () => {
  const notes = await audit(
    {
      "memory/2026-03-01.md": "- HEARTBEAT_OK\n- the key is hunter2\n",
      "memory.md": `# Home\n- Ada likes tea\n- total 48\n- Ada likes tea\n\n${"tea ".repeat(300)}\n`,
      "elsewhere.md": "- NO_REPLY\n",
    },
    {
      taintOf:
        async ({ file }) =>
        (lines) =>
          file === "MEMORY.md" && lines.includes("total"),
    },
  );
  expect(notes.map(({ path: file, maxChars }) => [file, maxChars])).toEqual([
    ["memory.md", 1_000],
    ["memory/2026-03-01.md", undefined],
  ]);
  expect(findingsOf(notes)).toEqual([
    "memory.md over-budget",
    "memory.md:3 untrusted",
    "memory.md:3 junk",
    "memory.md:4 duplicate",
    "memory/2026-03-01.md:1 junk",
    "memory/2026-03-01.md:2 secret",
  ]);
  expect(JSON.stringify(notes)).not.toContain("hunter2");
});

test("an entry has the source that is recorded of its text, wherever it stands and however it is indented", async () => {
  const text = "## Anna\n  1. born on  3 May\n     in Berlin\n- by hand\n";
  const [entry] = noteEntries("- born on 3 May in Berlin");
  const [note] = await audit({ "MEMORY.md": text }, { sourcesOf: async () => [{ ...SOURCE, digest: entry?.digest ?? "" }] });
  expect(note?.entries).toMatchObject([{ startLine: 2, endLine: 3, origin: "agent", source: { turnId: "t1" } }, { text: "by hand" }]);
  expect(note?.entries[1]).not.toHaveProperty("origin");
  expect(note?.entries[0]?.source).not.toHaveProperty("digest");
});

test("an entry of an unattended run is found in the curated notes, which it could enter by a command alone", async () => {
  const [entry] = noteEntries("- found at night");
  const sourcesOf = async (): Promise<readonly NoteEntrySource[]> => [{ ...SOURCE, origin: "system", digest: entry?.digest ?? "" }];
  const notes = await audit({ "MEMORY.md": "- found at night\n", "memory/2026-03-01.md": "- found at night\n" }, { sourcesOf });
  expect(findingsOf(notes)).toEqual(["MEMORY.md:1 untrusted"]);
});
