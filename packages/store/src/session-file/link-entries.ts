import type { TranscriptBody } from "../port/records.ts";
import type { ImportedEntry } from "../port/store.ts";

/** One record of a file. */
export interface FileNode {
  readonly id?: string;
  /** Null for a beginning; undefined when the file does not say. */
  readonly parentId?: string | null;
  readonly timestampMs: number;
  /** Absent for what is left out; the record is still a link of the chain. */
  readonly body?: TranscriptBody;
  /** Version 1: the place of the first kept entry among the records of the file. */
  readonly keptIndex?: number;
}

/** The current branch of a file. */
export interface LinkedEntries {
  readonly entries: readonly ImportedEntry[];
  /** Entries that are on no way from the last one to the beginning. */
  readonly otherBranch: number;
  /** Compactions whose first kept entry is not there. */
  readonly lostCuts: number;
}

/** Follows the parents from the last record to the beginning. A parent that is not there was lost: the record before takes its place. */
export function linkEntries(nodes: readonly FileNode[]): LinkedEntries {
  const path = pathToLast(nodes);
  const entries: ImportedEntry[] = [];
  /** The place in `entries` of the first entry that is not before a record of the path. */
  const places = new Map<FileNode, number>();
  const byId = new Map<string, FileNode>();
  let lostCuts = 0;
  for (const node of path) {
    places.set(node, entries.length);
    if (node.id !== undefined) byId.set(node.id, node);
    if (node.body === undefined) continue;
    const id = String(entries.length);
    if (node.body.type === "replacement") {
      const messages = node.body.messages.flatMap(({ entryId, message }) => {
        const replaced = byId.get(entryId);
        const place = replaced?.body === undefined ? undefined : places.get(replaced);
        return place === undefined ? [] : [{ entryId: String(place), message }];
      });
      entries.push({ id, timestampMs: node.timestampMs, body: { ...node.body, messages } });
      continue;
    }
    if (node.body.type !== "compaction") {
      entries.push({ id, timestampMs: node.timestampMs, body: node.body });
      continue;
    }
    const kept = node.keptIndex === undefined ? byId.get(node.body.message.firstKeptEntryId) : nodes[node.keptIndex];
    const keptPlace = kept === undefined ? undefined : places.get(kept);
    const isLost = keptPlace === undefined || keptPlace >= entries.length;
    if (isLost) lostCuts += 1;
    const body = withKept(node.body, isLost ? lastMessage(entries) : keptPlace);
    entries.push({ id, timestampMs: node.timestampMs, body });
  }
  const taken = nodes.filter((node) => node.body !== undefined).length;
  return { entries, otherBranch: taken - entries.length, lostCuts };
}

function pathToLast(nodes: readonly FileNode[]): readonly FileNode[] {
  const indexes = new Map<string, number>();
  const parents = nodes.map((node, index) => {
    const parent = node.parentId === undefined || node.parentId === null ? undefined : indexes.get(node.parentId);
    if (node.id !== undefined) indexes.set(node.id, index);
    return node.parentId === null ? -1 : (parent ?? index - 1);
  });
  const path: FileNode[] = [];
  for (let index = nodes.length - 1; index >= 0; index = parents[index] ?? -1) {
    const node = nodes[index];
    if (node !== undefined) path.push(node);
  }
  return path.toReversed();
}

function lastMessage(entries: readonly ImportedEntry[]): number | undefined {
  const place = entries.findLastIndex((entry) => entry.body.type === "message");
  return place < 0 ? undefined : place;
}

/** A compaction that kept nothing is what was said before, in the user's turn. */
function withKept(body: Extract<TranscriptBody, { type: "compaction" }>, keptPlace: number | undefined): TranscriptBody {
  if (keptPlace !== undefined) return { type: "compaction", message: { ...body.message, firstKeptEntryId: String(keptPlace) } };
  const { summary, tainted, timestamp } = body.message;
  const content = [{ type: "text" as const, text: summary }];
  return { type: "message", message: { role: "user", content, ...(tainted === undefined ? {} : { tainted }), timestamp } };
}
