import type { OutboxRecord } from "@factotum/store";

/** In the order of a conversation: a row that is sent in the place of others stands where the first of them stood. */
export function compareRows(one: OutboxRecord, other: OutboxRecord): number {
  return comparePlaces(placeOf(one), placeOf(other));
}

/** Where a row stands in the order of a conversation: under the rows in whose place it is sent. */
function placeOf({ id, replaces = [] }: OutboxRecord): readonly string[] {
  return [...replaces, id];
}

function comparePlaces(one: readonly string[], other: readonly string[]): number {
  const at = one.findIndex((id, index) => id !== other[index]);
  if (at === -1) return one.length - other.length;
  // Ids sort in the order of their making.
  return (one[at] ?? "") < (other[at] ?? "") ? -1 : 1;
}
