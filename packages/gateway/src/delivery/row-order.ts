import type { OutboxRecord } from "@factotum/store";

/** Orders the rows of a conversation: a replacement takes the position of the first row that it replaces. */
export function compareRows(one: OutboxRecord, other: OutboxRecord): number {
  return comparePlaces(placeOf(one), placeOf(other));
}

/** The position of a row: the ids of the rows that it replaces, then its own. */
function placeOf({ id, replaces = [] }: OutboxRecord): readonly string[] {
  return [...replaces, id];
}

function comparePlaces(one: readonly string[], other: readonly string[]): number {
  const at = one.findIndex((id, index) => id !== other[index]);
  if (at === -1) return one.length - other.length;
  // Ids sort by creation.
  return (one[at] ?? "") < (other[at] ?? "") ? -1 : 1;
}
