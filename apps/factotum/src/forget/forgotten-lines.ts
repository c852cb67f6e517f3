import type { ForgottenCall } from "@factotum/store";
import type { KeptNote } from "./read-notes.ts";

/** Shorter lines say too little to be told from those of others. */
const MIN_CHARS = 6;
/** From this length on, the mark of a list is left away: a quote may lack it. */
const MIN_BARE_CHARS = 16;
const LIST_MARK = /^(?:[-*+>]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?/;
const NOTE_PATH = /(?:^|\/)(?:MEMORY|USER|memory)\.md$|(?:^|\/)memory\/.*\.md$/;
/** Tools that only read: what they were asked for is no line of a note. */
const READERS: ReadonlySet<string> = new Set(["memory_search", "memory_get", "read", "grep", "find", "ls", "web_search", "web_fetch"]);

/**
 * The lines of notes that forgotten calls wrote: those in the arguments of a call that stand in a note or a version, and those that a call wrote to a note, as
 * far as the notes did not have them before the call's turn. A heading counts if only one note has it.
 */
export function forgottenLines(
  calls: readonly ForgottenCall[],
  { notes, versions }: { readonly notes: readonly KeptNote[]; readonly versions: readonly KeptNote[] },
): readonly string[] {
  const known = new Map<string, Set<string>>();
  for (const { agentId, file, text } of [...notes, ...versions])
    for (const line of linesOf(text)) known.set(line, (known.get(line) ?? new Set()).add(`${agentId} ${folderOf(file)}`));
  const lines = new Set<string>();
  for (const call of calls.filter(({ tool }) => !READERS.has(tool))) {
    const before = linesBefore(call, versions);
    for (const line of writtenLines(call, known.keys())) {
      if (before.has(line) || (line.startsWith("#") && (known.get(line)?.size ?? 0) > 1)) continue;
      const bare = line.replace(LIST_MARK, "");
      lines.add(bare.length >= MIN_BARE_CHARS ? bare : line);
    }
  }
  return [...lines].flatMap((line) => [line, ...escaped(line)]);
}

/** In a prompt a note may be quoted inside JSON. */
function escaped(line: string): readonly string[] {
  const inJson = JSON.stringify(line).slice(1, -1);
  return inJson === line ? [] : [inJson];
}

function* writtenLines({ texts }: ForgottenCall, known: Iterable<string>): Generator<string> {
  if (texts.some((text) => NOTE_PATH.test(text.trim()))) for (const text of texts) yield* linesOf(text);
  // Patches and commands have their lines inside others.
  for (const line of known) if (texts.some((text) => text.includes(line))) yield line;
}

/** What the notes held before a turn: in the version that its first change of each note has kept, and in older ones. */
function linesBefore({ agentId, startedAtMs, endedAtMs }: ForgottenCall, versions: readonly KeptNote[]): ReadonlySet<string> {
  const earlier = versions.filter((version) => version.agentId === agentId && version.atMs <= endedAtMs);
  const first = new Map<string, KeptNote>();
  for (const version of earlier.filter(({ atMs }) => atMs >= startedAtMs).toSorted((one, other) => other.atMs - one.atMs))
    first.set(folderOf(version.file), version);
  const before = [...earlier.filter(({ atMs }) => atMs < startedAtMs), ...first.values()];
  return new Set(before.flatMap(({ text }) => linesOf(text)));
}

function linesOf(text: string): readonly string[] {
  return text
    .split(/\r\n?|\n/)
    .map((line) => line.trim())
    .filter((line) => line.length >= MIN_CHARS && !NOTE_PATH.test(line));
}

/** Versions of one note share a folder. */
function folderOf(file: string): string {
  return file.includes("note-versions") ? file.replace(/[\\/][^\\/]*$/, "") : file;
}
