import type { TranscriptBody } from "../port/transcript-records.ts";

/** Facts about the records of a file from the first pass, without their content. One index counts through all arrays. */
export interface FileRecords {
  /** Undefined if the file has none. */
  readonly ids: readonly (string | undefined)[];
  /** Index of the previous record, or -1 for a start. */
  readonly parents: readonly number[];
  /** Undefined for a record that is skipped; it is still a link of the chain. */
  readonly types: readonly (TranscriptBody["type"] | undefined)[];
  /** The entries that compactions, replacements and branches refer to. */
  readonly references: ReadonlyMap<number, RecordReferences>;
}

/** Records that others refer to. */
export interface RecordReferences {
  readonly ids: readonly string[];
  /** Version 1: the position of the first kept entry among the records of the file. */
  readonly keptIndex?: number;
}

/** The current branch of a file. */
export interface LinkedRecords {
  /** How many entries the conversation has. */
  readonly count: number;
  /** The position in the conversation of each record, or -1. */
  readonly places: Int32Array;
  /** Positions that a later entry refers to. */
  readonly referred: ReadonlySet<number>;
  /** By the index of a compaction: the position of its first kept entry. Absent for a compaction that kept nothing. */
  readonly kept: ReadonlyMap<number, number>;
  /** By the index of a replacement: the positions of the entries that it replaces, by their ids in the file. */
  readonly replaced: ReadonlyMap<number, ReadonlyMap<string, number>>;
  /** By the index of a branch: the position of the entry that it continues. Absent for one that continues the start. */
  readonly continued: ReadonlyMap<number, number>;
  /** Entries that are not on the path from the last one to the start. */
  readonly otherBranch: number;
  /** Compactions whose first kept entry is missing. */
  readonly lostCuts: number;
}

/** Follows the parents from the last record to the start. */
export function linkEntries(records: FileRecords): LinkedRecords {
  const { ids, types, references } = records;
  const places = new Int32Array(ids.length).fill(-1);
  /** For every record of the path, including skipped ones: the position of the first entry that is not before it. */
  const firstPlaces = new Int32Array(ids.length).fill(-1);
  const byId = new Map<string, number>();
  const kept = new Map<number, number>();
  const replaced = new Map<number, ReadonlyMap<string, number>>();
  const continued = new Map<number, number>();
  let [count, lostCuts, lastMessage, taken] = [0, 0, -1, 0];
  for (const type of types) if (type !== undefined) taken += 1;
  for (const index of pathToLast(records)) {
    firstPlaces[index] = count;
    const id = ids[index];
    // No other records are looked up by id.
    if (id !== undefined && references.size > 0) byId.set(id, index);
    const type = types[index];
    if (type === undefined) continue;
    const { ids: named = [], keptIndex } = references.get(index) ?? {};
    if (type === "replacement") {
      const found = named.flatMap((name) => {
        const place = places[byId.get(name) ?? -1] ?? -1;
        return place === -1 ? [] : [[name, place] as const];
      });
      replaced.set(index, new Map(found));
    }
    if (type === "branch" && named[0] !== undefined) {
      const place = continuedPlace(named[0], byId, places);
      if (place !== -1) continued.set(index, place);
    }
    if (type === "compaction") {
      const first = firstPlaces[keptIndex ?? byId.get(named[0] ?? "") ?? -1] ?? -1;
      const isLost = first === -1 || first >= count;
      if (isLost) lostCuts += 1;
      const place = isLost ? lastMessage : first;
      if (place !== -1) kept.set(index, place);
    }
    // A compaction that kept nothing becomes a message.
    if (type === "message" || (type === "compaction" && !kept.has(index))) lastMessage = count;
    places[index] = count;
    count += 1;
  }
  const referred = new Set([...kept.values(), ...continued.values(), ...[...replaced.values()].flatMap((found) => [...found.values()])]);
  return { count, places, referred, kept, replaced, continued, otherBranch: taken - count, lostCuts };
}

/** The position of the entry that a branch continues: if it is missing, the one before it, by the order of ids; -1 for the start. */
function continuedPlace(name: string, byId: ReadonlyMap<string, number>, places: Int32Array): number {
  const found = byId.get(name);
  if (found !== undefined && places[found] !== -1) return places[found] ?? -1;
  let last = -1;
  for (const [id, index] of byId) if (id < name) last = Math.max(last, places[index] ?? -1);
  return last;
}

function pathToLast({ parents }: FileRecords): readonly number[] {
  const path: number[] = [];
  for (let index = parents.length - 1; index >= 0; index = parents[index] ?? -1) path.push(index);
  return path.toReversed();
}
