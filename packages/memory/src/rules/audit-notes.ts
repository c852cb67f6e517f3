import { lstat } from "node:fs/promises";
import { join } from "node:path";
import type { AuditedEntry, AuditedNote, NoteEntrySource, NoteFinding } from "@factotum/agent-contract";
import { EntryFinder } from "../entries/entry-finder.ts";
import { noteEntries, type NoteEntry } from "../entries/note-entries.ts";
import { listNotes, readNote } from "../notes/note-files.ts";
import { junkOf, type Junk } from "./junk.ts";
import { CURATED_NOTES, shownChars, type NamedNote } from "./note-rules.ts";

/** What is needed to examine the notes of an agent. */
export interface AuditNotesOptions {
  readonly agentId: string;
  /** Absolute. */
  readonly workspace: string;
  /** How many characters of `MEMORY.md` and of `USER.md` the prompt shows. */
  readonly maxChars: number;
  /** What is recorded of the entries of a note. */
  readonly sourcesOf: (note: NamedNote) => Promise<readonly NoteEntrySource[]>;
  /** Tells whether lines of a note were written by turns that had read text of others. */
  readonly taintOf: (note: NamedNote) => Promise<(lines: string) => boolean>;
  /** Hides the secrets that are known. */
  readonly redact: (text: string) => string;
  readonly signal: AbortSignal;
}

/** Examines `MEMORY.md`, `USER.md` and the daily notes of an agent. Links are not followed. */
export async function auditNotes(options: AuditNotesOptions): Promise<readonly AuditedNote[]> {
  const { workspace, signal } = options;
  const { files } = await listNotes({ workspace, extraPaths: [] }, { signal });
  const daily = files.map(({ path }) => path).filter((path) => !path.toUpperCase().startsWith("MEMORY.MD"));
  const notes: AuditedNote[] = [];
  for (const path of [...(await curatedNotes(workspace)), ...daily]) {
    signal.throwIfAborted();
    const text = await readNote(join(workspace, path));
    if (text !== undefined) notes.push(await auditNote(path, text, options));
  }
  return notes;
}

/** The names of the curated notes that are there; `memory.md` counts only without the other. */
async function curatedNotes(workspace: string): Promise<readonly string[]> {
  const isFile = async (name: string): Promise<boolean> =>
    lstat(join(workspace, name)).then(
      (stats) => stats.isFile(),
      () => false,
    );
  const memory = (await isFile("MEMORY.md")) ? ["MEMORY.md"] : (await isFile("memory.md")) ? ["memory.md"] : [];
  return [...memory, ...((await isFile("USER.md")) ? ["USER.md"] : [])];
}

async function auditNote(path: string, text: string, options: AuditNotesOptions): Promise<AuditedNote> {
  const file = path === "memory.md" ? "MEMORY.md" : path;
  const note = { agentId: options.agentId, file };
  const isCurated = CURATED_NOTES.includes(file);
  const sources = new Map((await options.sourcesOf(note)).map((source) => [source.digest, source]));
  const isTainted = await options.taintOf(note);
  const lines = text.split(/\r\n?|\n/u);
  const entries = noteEntries(text);
  const twins = duplicatesIn(entries);
  const chars = shownChars(text);
  const isOver = isCurated && chars > options.maxChars;
  return {
    path,
    chars,
    ...(isCurated && { maxChars: options.maxChars }),
    findings: isOver
      ? [{ type: "over-budget", message: `It has ${chars} characters; conversations are shown only the first ${options.maxChars}.` }]
      : [],
    entries: entries.map((entry) => {
      const isUntrusted = isTainted(lines.slice(entry.startLine - 1, entry.endLine).join("\n"));
      return auditEntry(entry, {
        source: sources.get(entry.digest),
        isUntrusted,
        isCurated,
        twin: twins.get(entry),
        redact: options.redact,
      });
    }),
  };
}

function auditEntry(
  entry: NoteEntry,
  facts: {
    readonly source: NoteEntrySource | undefined;
    readonly isUntrusted: boolean;
    readonly isCurated: boolean;
    readonly twin: NoteEntry | undefined;
    readonly redact: AuditNotesOptions["redact"];
  },
): AuditedEntry {
  const { startLine, endLine } = entry;
  const text = facts.redact(entry.text);
  const { digest: _digest, origin: recorded, ...source } = facts.source ?? {};
  const origin = facts.isUntrusted ? "untrusted" : recorded;
  const junk = junkOf(entry);
  const findings: readonly (NoteFinding | undefined)[] = [
    origin === "untrusted" ? { type: "untrusted", message: "It was written by a turn that had read text of others." } : undefined,
    facts.isCurated && origin === "system"
      ? { type: "untrusted", message: "It was written by a command of a run that no person had started." }
      : undefined,
    junk === undefined ? undefined : { type: "junk", message: JUNK[junk] },
    facts.twin === undefined
      ? undefined
      : { type: "duplicate", message: `It says nearly the same as the entry in line ${facts.twin.startLine}.` },
    text === entry.text
      ? undefined
      : { type: "secret", message: "It holds a secret that the gateway knows. Remove it, and change the secret." },
  ];
  return {
    startLine,
    endLine,
    text,
    ...(origin !== undefined && { origin }),
    ...(facts.source !== undefined && { source: source as Omit<NoteEntrySource, "digest" | "origin"> }),
    findings: findings.filter((one) => one !== undefined),
  };
}

const JUNK: Readonly<Record<Junk, string>> = {
  prompt: "It is a part of a message's frame.",
  output: "It is output of a tool.",
  heartbeat: "It is text of a heartbeat.",
  silence: "It is a word for saying nothing.",
};

/** The later ones of entries that say the same, each with an earlier one. */
function duplicatesIn(entries: readonly NoteEntry[]): ReadonlyMap<NoteEntry, NoteEntry> {
  const twins = new Map<NoteEntry, NoteEntry>();
  const earlier = new EntryFinder();
  for (const entry of entries) {
    const twin = earlier.find(entry);
    if (twin !== undefined) twins.set(entry, twin.entry);
    earlier.add(entry);
  }
  return twins;
}
