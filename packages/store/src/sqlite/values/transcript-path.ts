/** A place in the log of a conversation from which it does not continue what is before it, but an earlier entry. */
export interface BranchPoint {
  /** The number of the branch's own entry. */
  readonly id: number;
  /** The entry that is continued; 0 for the start of the conversation. */
  readonly after: number;
}

/** The entries of one branch: ranges of numbers, both ends inclusive, in order. */
export type TranscriptPath = readonly (readonly [from: number, to: number])[];

/** The end of a path that later entries continue. */
const OPEN_END: number = Number.MAX_SAFE_INTEGER;

/** What the conversation consisted of when `at` was its last entry. `points` in order. */
export function pathAt(points: readonly BranchPoint[], at: number = OPEN_END): TranscriptPath {
  const ranges: (readonly [number, number])[] = [];
  let end = at;
  for (let index = points.length - 1; index >= 0 && end > 0; index -= 1) {
    const point = points[index];
    if (point === undefined || point.id > end) continue;
    if (point.id < end) ranges.unshift([point.id + 1, end]);
    end = point.after;
  }
  if (end > 0) ranges.unshift([1, end]);
  return ranges;
}

/** True if the entry is on the path. */
export function isOnPath(path: TranscriptPath, entry: number): boolean {
  return path.some(([from, to]) => from <= entry && entry <= to);
}

/** Where the newest branch with this entry ends: a position in the log, or `undefined` if it is in none. */
export function newestEndOf(points: readonly BranchPoint[], entry: number): number | undefined {
  const ends = [...points.map(({ id }) => id - 1), OPEN_END];
  return ends.findLast((end) => isOnPath(pathAt(points, end), entry));
}

/** For each entry that several branches continue: the positions in the log behind which their first entries are, oldest first, with the end of each. */
export function forksOf(points: readonly BranchPoint[]): readonly (readonly (readonly [after: number, before: number])[])[] {
  const nextPoint = (from: number): number => points.find(({ id }) => id > from)?.id ?? OPEN_END;
  const starts = new Map<number, number[]>();
  for (const { id, after } of points) starts.set(after, [...(starts.get(after) ?? [after]), id]);
  return [...starts.values()].map((all) => all.map((start) => [start, nextPoint(start)] as const));
}
