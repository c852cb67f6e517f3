import type { SpawnRecord } from "@factotum/store";

/** A shorter beginning of a run id names no sub-agent: it could match by chance. */
const MIN_PREFIX_CHARS = 4;

const POSITION = /^#?(\d{1,3})$/;

type Named = Pick<SpawnRecord, "id" | "label" | "childKey">;

/** The sub-agents of a list that words name: the one at a position, from 1, else as `spawnsCalled`. */
export function namedSpawns<Spawn extends Named>(named: string, listed: readonly Spawn[]): readonly Spawn[] {
  const [, position] = POSITION.exec(named.trim()) ?? [];
  const found = position === undefined ? undefined : listed[Number(position) - 1];
  return found === undefined ? spawnsCalled(named, listed) : [found];
}

/** Those of a list that have this label, run id or session key, or whose run id begins like this. */
export function spawnsCalled<Spawn extends Named>(named: string, listed: readonly Spawn[]): readonly Spawn[] {
  const wanted = named.trim().toLowerCase();
  if (wanted === "") return [];
  const isPrefix = wanted.length >= MIN_PREFIX_CHARS;
  return listed.filter(
    ({ id, label, childKey }) =>
      id === wanted || (isPrefix && id.startsWith(wanted)) || label?.toLowerCase() === wanted || childKey.toLowerCase() === wanted,
  );
}

/** True for words that can name a position. */
export function isPosition(named: string): boolean {
  return POSITION.test(named.trim());
}
