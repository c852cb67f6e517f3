import { readFile } from "node:fs/promises";
import type { FileWrite, MemoryOrigin, NoteEntrySource, NoteGate, NoteVerdict, RunFacts } from "@factotum/agent-contract";
import type { NoteEntry } from "../entries/note-entries.ts";
import { junkOf, type Junk } from "./junk.ts";
import { mergeEntries, splitEntries, type Merged, type SplitEntries } from "./merge-entries.ts";
import { isCopied, prepareTexts, type ConversationTexts } from "./tool-outputs.ts";

/** A note of an agent: its path relative to the workspace, with slashes. */
export interface NamedNote {
  readonly agentId: string;
  readonly file: string;
}

/** What is needed to keep the rules. */
export interface NoteRulesOptions {
  /** The notes at a real path: several if agents share it, none for other files. `MEMORY.md` by that name, whatever the case. */
  readonly notesAt: (path: string) => Promise<readonly NamedNote[]>;
  /** How many characters of such a file the prompt of an agent shows. */
  readonly maxCharsOf: (agentId: string) => number;
  /** What the conversation of a run has so far. */
  readonly textsOf: (run: RunFacts) => Promise<ConversationTexts>;
  /** Remembers who wrote entries of a note, of which `present` are those that it will have. Durable when it resolves; entries that are known stay as they are. */
  readonly record: (note: NamedNote, entries: readonly NoteEntrySource[], present: readonly string[]) => Promise<void>;
  /** What is recorded of the entries of a note. */
  readonly sourcesOf: (note: NamedNote) => Promise<readonly NoteEntrySource[]>;
  /** When the turn of a run began, milliseconds since the epoch; `undefined` for a run without a turn. */
  readonly startOf: (run: RunFacts) => Promise<number | undefined>;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** Notes that every prompt of the owner's conversations contains. */
export const CURATED_NOTES: readonly string[] = ["MEMORY.md", "USER.md"];

/** Entries that a message names at most. */
const MAX_NAMED = 5;
const MAX_QUOTED_CHARS = 120;

interface Admitted {
  readonly text: string;
  readonly entries: SplitEntries;
  readonly remark?: string;
}

/**
 * Keeps the rules for what tools write into notes. Changes of notes are made one after another, each from reading the file to the end of writing it. A write of a
 * whole content is refused if it would remove an entry that another turn has added since this one began. What is added to `MEMORY.md` and `USER.md` is no copy of
 * the prompt or of a tool's result, says nothing twice, and fits into the prompt. Of every note it is recorded who wrote which entry.
 */
export class NoteRules implements NoteGate {
  readonly #options: NoteRulesOptions;
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: NoteRulesOptions) {
    this.#options = options;
  }

  async change(writes: readonly FileWrite[], make: (contents: ReadonlyMap<string, string>) => Promise<void>): Promise<NoteVerdict> {
    const placed = await Promise.all(writes.map(async (write) => ({ write, notes: await this.#notesOf(write) })));
    const changes = placed.filter(({ notes }) => notes.length > 0);
    if (changes.length > 0) return this.#alone(async () => this.#keep(changes, make));
    await make(new Map());
    return { type: "made", remarks: new Map() };
  }

  /**
   * Records who wrote what a note has more than before, after something else than a tool has changed it. Entries whose source is known keep it. Resolves with the
   * lines of the others.
   */
  async recordChanged(write: FileWrite, before: string): Promise<string> {
    const notes = await this.#notesOf(write);
    if (notes.length === 0) return "";
    return this.#alone(async () => {
      const { kept, added } = splitEntries(before, write.content);
      const known = new Set(
        (await Promise.all(notes.map(async (note) => this.#options.sourcesOf(note)))).flat().map(({ digest }) => digest),
      );
      const fresh = added.filter(({ digest }) => !known.has(digest));
      const present = [...kept, ...added].map(({ digest }) => digest);
      const sources = fresh.map(({ digest }) => sourceOf(digest, write, this.#options.now()));
      if (fresh.length > 0) for (const note of notes) await this.#options.record(note, sources, present);
      const lines = write.content.split(/\r\n?|\n/u);
      return fresh.map(({ startLine, endLine }) => lines.slice(startLine - 1, endLine).join("\n")).join("\n");
    });
  }

  /** Nearly no file is a note, and to know it, links have to be followed. */
  async #notesOf({ path }: FileWrite): Promise<readonly NamedNote[]> {
    return path.toLowerCase().endsWith(".md") ? this.#options.notesAt(path) : [];
  }

  async #alone<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#last.then(work);
    this.#last = result.catch(() => undefined);
    return result;
  }

  async #keep(
    changes: readonly { readonly write: FileWrite; readonly notes: readonly NamedNote[] }[],
    make: (contents: ReadonlyMap<string, string>) => Promise<void>,
  ): Promise<NoteVerdict> {
    const contents = new Map<string, string>();
    const remarks = new Map<string, string>();
    const records: (() => Promise<void>)[] = [];
    for (const { write, notes } of changes) {
      const before = await readIfThere(write.path);
      const lost = write.isBlind === true ? await this.#lostEntry(notes, write, before) : undefined;
      if (lost !== undefined) return { type: "refused", message: lostRefusal(notes, lost) };
      const curated = notes.find(({ file }) => CURATED_NOTES.includes(file));
      const admitted =
        curated === undefined
          ? { text: write.content, entries: splitEntries(before, write.content) }
          : await this.#admit(curated, write, before);
      if ("message" in admitted) return { type: "refused", message: admitted.message };
      if (admitted.text !== write.content) contents.set(write.path, admitted.text);
      if (admitted.remark !== undefined) remarks.set(write.path, admitted.remark);
      const { kept, added } = admitted.entries;
      const present = [...kept, ...added].map(({ digest }) => digest);
      const sources = added.map(({ digest }) => sourceOf(digest, write, this.#options.now()));
      if (added.length > 0) records.push(...notes.map((note) => async () => this.#options.record(note, sources, present)));
    }
    for (const record of records) await record();
    await make(contents);
    return { type: "made", remarks };
  }

  /** An entry that another turn has added since this one began, and that a write of the whole content would drop unseen. */
  async #lostEntry(notes: readonly NamedNote[], { content, run }: FileWrite, before: string): Promise<NoteEntry | undefined> {
    const { added: dropped } = splitEntries(content, before);
    const startMs = dropped.length === 0 ? undefined : await this.#options.startOf(run);
    if (startMs === undefined) return undefined;
    const sources = (await Promise.all(notes.map(async (note) => this.#options.sourcesOf(note)))).flat();
    const isOthers = ({ turnId, atMs }: NoteEntrySource): boolean => turnId !== run.runId && atMs >= startMs;
    const fresh = new Set(sources.filter(isOthers).map(({ digest }) => digest));
    return dropped.find(({ digest }) => fresh.has(digest));
  }

  async #admit(
    { agentId, file }: NamedNote,
    { content, run }: FileWrite,
    before: string,
  ): Promise<Admitted | { readonly message: string }> {
    const maxChars = this.#options.maxCharsOf(agentId);
    const isTooLong = (chars: number): boolean => chars > maxChars && chars > shownChars(before);
    // What no merging makes short enough is not compared entry by entry.
    if (isTooLong(shownChars(content) / 2)) return { message: sizeRefusal(file, shownChars(content), maxChars) };
    const entries = splitEntries(before, content);
    const { added } = entries;
    const texts = prepareTexts(added.length === 0 ? { outputs: [], said: [] } : await this.#options.textsOf(run));
    const junk = added.flatMap((entry) => {
      const what = junkOf(entry) ?? (isCopied(entry, texts) ? "output" : undefined);
      return what === undefined ? [] : [{ entry, what }];
    });
    if (junk.length > 0) return { message: junkRefusal(file, junk) };
    const merged = mergeEntries(content, entries);
    if (merged.type === "conflict") return { message: conflictRefusal(file, merged) };
    const chars = shownChars(merged.text);
    if (isTooLong(chars)) return { message: sizeRefusal(file, chars, maxChars) };
    return { text: merged.text, entries: merged.entries, ...(merged.dropped.length > 0 && { remark: mergeRemark(merged) }) };
  }
}

/** The length of a file as the prompt counts it. */
export function shownChars(text: string): number {
  return text.trim().length;
}

function sourceOf(digest: string, { run, tainted }: FileWrite, atMs: number): NoteEntrySource {
  const { kind, sessionKey, sessionId, runId: turnId } = run;
  return { digest, origin: originOf(run, tainted), kind, sessionKey, sessionId, turnId, atMs };
}

function originOf({ owner, kind }: RunFacts, tainted: boolean): MemoryOrigin {
  if (tainted || !owner) return "untrusted";
  return kind === "heartbeat" || kind === "cron" || kind === "hook" ? "system" : "agent";
}

const JUNK: Readonly<Record<Junk, string>> = {
  prompt: "is a part of a message's frame, not of its text",
  output: "is output of a tool",
  heartbeat: "is text of a heartbeat",
  silence: "is a word for saying nothing",
};

function junkRefusal(file: string, junk: readonly { readonly entry: NoteEntry; readonly what: Junk }[]): string {
  const named = junk.slice(0, MAX_NAMED).map(({ entry, what }) => `${quoted(entry)} ${JUNK[what]}`);
  const more = junk.length > MAX_NAMED ? `; and ${junk.length - MAX_NAMED} more` : "";
  return `${file} was not changed: ${named.join("; ")}${more}. Every later conversation begins with this file. Leave such lines out, or say in a sentence of your own what will matter later.`;
}

function lostRefusal([note]: readonly NamedNote[], entry: NoteEntry): string {
  return `${note?.file ?? "The file"} was not changed: another conversation has just added ${quoted(entry)}, which this would remove. Read the file, and change only what you mean to with edit.`;
}

function conflictRefusal(file: string, { added, existing }: Extract<Merged, { readonly type: "conflict" }>): string {
  const where = existing.headings.length === 0 ? "" : ` under "${existing.headings.at(-1) ?? ""}"`;
  return `${file} was not changed: ${quoted(added)} says nearly the same as ${quoted(existing)}, which stands there${where} already. Change that entry, or move it, so that it is said once.`;
}

function sizeRefusal(file: string, chars: number, maxChars: number): string {
  return `${file} was not changed: it would have ${chars} characters, and conversations are shown only the first ${maxChars}. Shorten it first: remove what no longer matters, and keep details in memory/YYYY-MM-DD.md.`;
}

function mergeRemark({ dropped }: Extract<Merged, { readonly type: "merged" }>): string {
  const named = dropped
    .slice(0, MAX_NAMED)
    .map(({ entry, type }) =>
      type === "repeated"
        ? `${quoted(entry)} stood there already and was not added again`
        : `${quoted(entry)} was replaced, because the new entry says nearly the same`,
    );
  const more = dropped.length > MAX_NAMED ? `; and ${dropped.length - MAX_NAMED} more` : "";
  return `Merged: ${named.join("; ")}${more}.`;
}

function quoted({ text }: NoteEntry): string {
  const line = text.split(/\s+/u).join(" ").toWellFormed();
  return `"${line.length > MAX_QUOTED_CHARS ? `${line.slice(0, MAX_QUOTED_CHARS).toWellFormed()}…` : line}"`;
}

async function readIfThere(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return "";
    throw error;
  }
}
