import { addUsage, NO_USAGE_TOTALS, withoutUndefined } from "@factotum/agent-contract";
import type { JsonObject, Usage } from "@factotum/agent-contract";
import { MAX_BRANCHES } from "../port/transcript-store.ts";
import type { TranscriptBody } from "../port/transcript-records.ts";
import type { ImportedEntry } from "../port/session-store.ts";
import { linkEntries } from "./link-entries.ts";
import type { LinkedRecords, RecordReferences } from "./link-entries.ts";
import { parseBody, parseRecord, recordTime } from "./parse-record.ts";
import { readLines } from "./read-lines.ts";
import type { FileLine, SessionFileSource } from "./read-lines.ts";
import type { SessionFile, SessionFileFacts, SessionFileProblem } from "./session-file.ts";
import { countOf, nonEmpty, objectOf, stringOf, timeOf } from "./unknown-value.ts";

/** The newest version of the format that is known. */
const NEWEST_VERSION = 3;
/** Problems that are listed individually; more than that count as one. */
const MAX_PROBLEMS = 100;

/**
 * Reads a plain session file: ours, and versions 1 to 3 of OpenClaw and its ancestors (with envelopes and without). Never throws for its content: a torn tail
 * is cut, unreadable records are skipped, and both are reported. The source is opened twice and must give the same bytes: the first pass finds the records of
 * the conversation and keeps little of each; the second yields them.
 */
export async function readSessionFile(open: () => SessionFileSource): Promise<SessionFile> {
  const reading = new Reading();
  for await (const line of readLines(open())) reading.take(line);
  const { facts, links } = reading.finish();
  return { ...facts, entries: entriesOf(open, links) };
}

async function* entriesOf(open: () => SessionFileSource, links: LinkedRecords): AsyncIterable<ImportedEntry> {
  let index = -1;
  let lastTimeMs = 0;
  for await (const line of readLines(open())) {
    const record = line.text?.trim() === "" ? undefined : parseRecord(line);
    if (record === undefined) continue;
    index += 1;
    if (record["type"] === "session") {
      lastTimeMs = timeOf(record["timestamp"]) ?? lastTimeMs;
      continue;
    }
    lastTimeMs = recordTime(record, lastTimeMs);
    const place = links.places[index] ?? -1;
    const body = place === -1 ? undefined : parseBody(record, lastTimeMs);
    if (body === undefined) continue;
    yield {
      ...(links.referred.has(place) ? { id: String(place) } : {}),
      timestampMs: lastTimeMs,
      body: linkedBody(body, index, links),
    };
  }
}

/** A body that refers to other entries by their positions in the conversation. A compaction that kept nothing becomes a message in the user's turn. */
function linkedBody(body: TranscriptBody, index: number, { kept, replaced, continued }: LinkedRecords): TranscriptBody {
  if (body.type === "branch") {
    const place = continued.get(index);
    return place === undefined ? { type: "branch" } : { type: "branch", after: String(place) };
  }
  if (body.type === "replacement") {
    const places = replaced.get(index);
    const messages = body.messages.flatMap(({ entryId, message }) => {
      const place = places?.get(entryId);
      return place === undefined ? [] : [{ entryId: String(place), message }];
    });
    return { ...body, messages };
  }
  if (body.type !== "compaction") return body;
  const place = kept.get(index);
  if (place !== undefined) return { type: "compaction", message: { ...body.message, firstKeptEntryId: String(place) } };
  const { summary, tainted, timestamp } = body.message;
  const content = [{ type: "text" as const, text: summary }];
  return { type: "message", message: { role: "user", content, ...withoutUndefined({ tainted }), timestamp } };
}

/** The first pass over the lines. */
class Reading {
  readonly #ids: (string | undefined)[] = [];
  readonly #indexes: Map<string, number> = new Map();
  readonly #parents: number[] = [];
  readonly #types: (TranscriptBody["type"] | undefined)[] = [];
  readonly #times: number[] = [];
  readonly #usages: Map<number, Usage> = new Map();
  readonly #references: Map<number, RecordReferences> = new Map();
  readonly #problems: SessionFileProblem[] = [];
  readonly #leftOut: Map<string, number> = new Map();
  #branches = 0;
  #header: JsonObject | undefined;
  #lastTimeMs = 0;

  take(line: FileLine): void {
    if (line.text?.trim() === "") return;
    const record = parseRecord(line);
    if (record === undefined) this.#addProblem({ type: line.isComplete ? "unreadable-line" : "torn-tail", line: line.number });
    else if (record["type"] === "session") this.#takeHeader(record);
    else this.#takeRecord(record);
  }

  finish(): { readonly facts: SessionFileFacts; readonly links: LinkedRecords } {
    const header = this.#header;
    const version = header === undefined ? NEWEST_VERSION : (countOf(header["version"]) ?? 1);
    if (header === undefined) this.#addProblem({ type: "no-header" });
    if (version > NEWEST_VERSION) this.#addProblem({ type: "newer-version", version });
    for (const [kind, count] of this.#leftOut) this.#addProblem({ type: "left-out", kind, count });
    this.#indexes.clear();
    const links = linkEntries({ ids: this.#ids, parents: this.#parents, types: this.#types, references: this.#references });
    const { count, otherBranch, lostCuts, kept } = links;
    if (otherBranch > 0) this.#addProblem({ type: "other-branch", count: otherBranch });
    for (let lost = 0; lost < lostCuts; lost += 1) this.#addProblem({ type: "lost-cut" });
    const facts: SessionFileFacts = {
      isReadable: header !== undefined || count > 0,
      version,
      ...headerFacts(header),
      problems: this.#problems,
      count,
      compactionCount: kept.size,
      ...this.#sums(links),
    };
    return { facts, links };
  }

  #sums({ places }: LinkedRecords): Pick<SessionFileFacts, "usage" | "firstMs" | "lastMs"> {
    let usage = NO_USAGE_TOTALS;
    for (const [index, one] of this.#usages) if (places[index] !== -1) usage = addUsage(usage, one);
    const first = places.findIndex((place) => place !== -1);
    const last = places.findLastIndex((place) => place !== -1);
    const [firstMs, lastMs] = [this.#times[first], this.#times[last]];
    return { usage, ...withoutUndefined({ firstMs, lastMs }) };
  }

  /** The first one wins. */
  #takeHeader(record: JsonObject): void {
    this.#header ??= record;
    this.#lastTimeMs = timeOf(record["timestamp"]) ?? this.#lastTimeMs;
    // Version 1 counts the header in positions of entries.
    this.#add({}, undefined);
  }

  #takeRecord(record: JsonObject): void {
    this.#lastTimeMs = recordTime(record, this.#lastTimeMs);
    const parsed = parseBody(record, this.#lastTimeMs);
    if (parsed?.type === "branch") this.#branches += 1;
    const body = parsed?.type === "branch" && this.#branches > MAX_BRANCHES ? undefined : parsed;
    const index = this.#add(record, body?.type);
    if (body === undefined) {
      const kind = (stringOf(record["type"]) ?? stringOf(record["role"]) ?? "unknown").slice(0, 40);
      if (this.#leftOut.size < MAX_PROBLEMS || this.#leftOut.has(kind)) this.#leftOut.set(kind, (this.#leftOut.get(kind) ?? 0) + 1);
    } else if (body.type === "message") {
      if (body.message.role === "assistant") this.#usages.set(index, body.message.usage);
    } else if (body.type === "compaction") {
      const keptIndex = countOf(record["firstKeptEntryIndex"]);
      this.#references.set(index, { ids: [body.message.firstKeptEntryId], ...withoutUndefined({ keptIndex }) });
    } else if (body.type === "branch") {
      if (body.after !== undefined) this.#references.set(index, { ids: [body.after] });
    } else if (body.type === "replacement") {
      this.#references.set(index, { ids: body.messages.map(({ entryId }) => entryId) });
    }
  }

  /** A missing parent was lost: the previous record takes its place. */
  #add(record: JsonObject, type: TranscriptBody["type"] | undefined): number {
    const index = this.#ids.length;
    const id = nonEmpty(record["id"]);
    const parent = record["parentId"] === null ? null : nonEmpty(record["parentId"]);
    this.#parents.push(parent === null ? -1 : ((parent === undefined ? undefined : this.#indexes.get(parent)) ?? index - 1));
    this.#ids.push(id);
    this.#types.push(type);
    this.#times.push(this.#lastTimeMs);
    if (id !== undefined) this.#indexes.set(id, index);
    return index;
  }

  #addProblem(problem: SessionFileProblem): void {
    if (this.#problems.length < MAX_PROBLEMS) this.#problems.push(problem);
  }
}

function headerFacts(header: JsonObject | undefined): Pick<SessionFileFacts, "sessionId" | "startedAtMs" | "cwd" | "session"> {
  const sessionId = nonEmpty(header?.["id"]);
  const startedAtMs = timeOf(header?.["timestamp"]);
  const cwd = stringOf(header?.["cwd"]);
  const session = objectOf(header?.["session"]);
  const key = nonEmpty(session?.["key"]);
  const entry = objectOf(session?.["entry"]);
  return {
    ...withoutUndefined({ sessionId, startedAtMs, cwd }),
    ...(key === undefined || entry === undefined ? {} : { session: { key, entry } }),
  };
}
