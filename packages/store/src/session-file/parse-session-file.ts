import type { JsonObject } from "@factotum/agent-contract";
import type { TranscriptBody } from "../port/records.ts";
import type { ImportedEntry } from "../port/store.ts";
import { linkEntries } from "./link-entries.ts";
import type { FileNode } from "./link-entries.ts";
import { parseMessage } from "./parse-message.ts";
import { readLines } from "./read-lines.ts";
import type { FileLine, SessionFileSource } from "./read-lines.ts";
import { arrayOf, countOf, nonEmpty, objectOf, oneOf, stringOf, timeOf } from "./unknown-value.ts";

/** The newest version of the format that is known. */
const NEWEST_VERSION = 3;
/** Problems that are told one by one; more are as bad. */
const MAX_PROBLEMS = 100;

/** Shorter lines cannot be nested too deep. */
const DEEP_CHARS = 4096;

/** What was wrong with a file, or was left out of it. */
export type SessionFileProblem =
  /** The last line was cut off; everything before it is there. */
  | { readonly type: "torn-tail"; readonly line: number }
  | { readonly type: "unreadable-line"; readonly line: number }
  | { readonly type: "no-header" }
  | { readonly type: "newer-version"; readonly version: number }
  /** A compaction whose first kept entry is not in the file; more was kept than it says. */
  | { readonly type: "lost-cut" }
  /** Entries that are no part of a conversation here. */
  | { readonly type: "left-out"; readonly kind: string; readonly count: number }
  /** Entries of branches that were left behind. */
  | { readonly type: "other-branch"; readonly count: number };

/** A session file as far as it could be read. */
export interface ParsedSessionFile {
  /** False when there is neither a header nor an entry: then it is no session file, or nothing is left of it. */
  readonly isReadable: boolean;
  readonly version: number;
  readonly sessionId?: string;
  readonly startedAtMs?: number;
  readonly cwd?: string;
  /** Of a file that we have exported: the key it had, and what its session knew, as one entry of a `sessions.json`. */
  readonly session?: { readonly key: string; readonly entry: JsonObject };
  /** The conversation's current branch, in its order. */
  readonly entries: readonly ImportedEntry[];
  readonly problems: readonly SessionFileProblem[];
}

/**
 * Reads a plain session file: ours, and versions 1 to 3 of OpenClaw and its ancestors (with envelopes and without). Never throws for what
 * the file holds: a torn tail is cut, what cannot be read is left out, and both are said.
 */
export async function parseSessionFile(source: SessionFileSource): Promise<ParsedSessionFile> {
  const reading = new Reading();
  for await (const line of readLines(source)) reading.take(line);
  return reading.finish();
}

/** One pass over the lines. */
class Reading {
  readonly #nodes: FileNode[] = [];
  readonly #problems: SessionFileProblem[] = [];
  readonly #leftOut: Map<string, number> = new Map();
  #header: JsonObject | undefined;
  #lastTimeMs = 0;

  take(line: FileLine): void {
    if (line.text?.trim() === "") return;
    const record = parseRecord(line.text);
    if (record === undefined || !isStorable(line.text, record)) {
      this.#addProblem({ type: line.isComplete ? "unreadable-line" : "torn-tail", line: line.number });
      return;
    }
    if (record["type"] === "session") this.#takeHeader(record);
    else this.#nodes.push(this.#toNode(record));
  }

  finish(): ParsedSessionFile {
    const header = this.#header;
    const version = header === undefined ? NEWEST_VERSION : (countOf(header["version"]) ?? 1);
    if (header === undefined) this.#addProblem({ type: "no-header" });
    if (version > NEWEST_VERSION) this.#addProblem({ type: "newer-version", version });
    for (const [kind, count] of this.#leftOut) this.#addProblem({ type: "left-out", kind, count });
    const { entries, otherBranch, lostCuts } = linkEntries(this.#nodes);
    if (otherBranch > 0) this.#addProblem({ type: "other-branch", count: otherBranch });
    for (let count = 0; count < lostCuts; count += 1) this.#addProblem({ type: "lost-cut" });
    const sessionId = nonEmpty(header?.["id"]);
    const startedAtMs = timeOf(header?.["timestamp"]);
    const cwd = stringOf(header?.["cwd"]);
    const session = objectOf(header?.["session"]);
    const key = nonEmpty(session?.["key"]);
    const entry = objectOf(session?.["entry"]);
    return {
      isReadable: header !== undefined || entries.length > 0,
      version,
      ...(sessionId === undefined ? {} : { sessionId }),
      ...(startedAtMs === undefined ? {} : { startedAtMs }),
      ...(cwd === undefined ? {} : { cwd }),
      ...(key === undefined || entry === undefined ? {} : { session: { key, entry } }),
      entries,
      problems: this.#problems,
    };
  }

  /** The first one counts. */
  #takeHeader(record: JsonObject): void {
    this.#header ??= record;
    this.#lastTimeMs = timeOf(record["timestamp"]) ?? this.#lastTimeMs;
    // Version 1 counts the header when it names an entry by its place.
    this.#nodes.push({ timestampMs: this.#lastTimeMs });
  }

  #toNode(record: JsonObject): FileNode {
    const message = objectOf(record["message"]);
    const timestampMs = timeOf(record["timestamp"]) ?? timeOf(message?.["timestamp"]) ?? this.#lastTimeMs;
    this.#lastTimeMs = timestampMs;
    const id = nonEmpty(record["id"]);
    const parentId = record["parentId"] === null ? null : nonEmpty(record["parentId"]);
    const body = this.#toBody(record, timestampMs);
    const keptIndex = countOf(record["firstKeptEntryIndex"]);
    return {
      timestampMs,
      ...(id === undefined ? {} : { id }),
      ...(parentId === undefined ? {} : { parentId }),
      ...(body === undefined ? {} : { body }),
      ...(keptIndex === undefined ? {} : { keptIndex }),
    };
  }

  #toBody(record: JsonObject, timestampMs: number): TranscriptBody | undefined {
    const body = toBody(record, timestampMs);
    if (body === undefined) {
      const kind = (stringOf(record["type"]) ?? stringOf(record["role"]) ?? "unknown").slice(0, 40);
      if (this.#leftOut.size < MAX_PROBLEMS || this.#leftOut.has(kind)) this.#leftOut.set(kind, (this.#leftOut.get(kind) ?? 0) + 1);
    }
    return body;
  }

  #addProblem(problem: SessionFileProblem): void {
    if (this.#problems.length < MAX_PROBLEMS) this.#problems.push(problem);
  }
}

/** The record of one line; undefined when the line holds none. */
export function parseRecord(text: string | undefined): JsonObject | undefined {
  if (text === undefined) return undefined;
  try {
    return objectOf(JSON.parse(text));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** What is nested deeper than a program can follow when it writes it: only a line that long can be. */
function isStorable(text: string | undefined, record: JsonObject): boolean {
  if (text === undefined || text.length < DEEP_CHARS) return true;
  try {
    return JSON.stringify(record) !== undefined;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/** What a record says; undefined for what is no part of a conversation. A line without an envelope is a message of the oldest form. */
export function toBody(record: JsonObject, timestampMs: number): TranscriptBody | undefined {
  const bare = record["type"] === undefined || record["type"] === "message";
  if (bare) {
    const message = parseMessage(objectOf(record["message"]) ?? record, timestampMs);
    return message === undefined ? undefined : { type: "message", message };
  }
  switch (record["type"]) {
    case "compaction":
      return toCompaction(record, timestampMs);
    case "replacement":
      return toReplacement(record, timestampMs);
    case "notice": {
      const level = oneOf(record["level"], ["info", "warning", "error"]) ?? "info";
      return { type: "notice", level, text: stringOf(record["text"]) ?? "" };
    }
    // Both were shown to the model as the user's words.
    case "custom_message":
      return toUserBody(record["content"], timestampMs);
    case "branch_summary":
      return toUserBody(record["summary"], timestampMs);
    default:
      return undefined;
  }
}

function toCompaction(record: JsonObject, timestampMs: number): TranscriptBody | undefined {
  const summary = stringOf(record["summary"]);
  if (summary === undefined) return undefined;
  return {
    type: "compaction",
    message: {
      role: "compaction",
      summary,
      firstKeptEntryId: stringOf(record["firstKeptEntryId"]) ?? "",
      tokensBefore: countOf(record["tokensBefore"]) ?? 0,
      ...(typeof record["tainted"] === "boolean" ? { tainted: record["tainted"] } : {}),
      timestamp: timeOf(record["summarizedAt"]) ?? timestampMs,
    },
  };
}

function toReplacement(record: JsonObject, timestampMs: number): TranscriptBody | undefined {
  const messages = (arrayOf(record["messages"]) ?? []).flatMap((value) => {
    const one = objectOf(value);
    const entryId = nonEmpty(one?.["entryId"]);
    const message = parseMessage(objectOf(one?.["message"]) ?? {}, timestampMs);
    return entryId === undefined || message === undefined ? [] : [{ entryId, message }];
  });
  if (messages.length === 0) return undefined;
  return { type: "replacement", messages, ...(record["rerendered"] === true ? { rerendered: true } : {}) };
}

function toUserBody(content: unknown, timestampMs: number): TranscriptBody | undefined {
  const message = parseMessage({ role: "user", content: content as string }, timestampMs);
  return message?.role === "user" && message.content.length > 0 ? { type: "message", message } : undefined;
}
