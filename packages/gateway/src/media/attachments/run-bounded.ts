/** Runs `work` for every item, at most `limit` at a time; the results are in the order of the items. */
export async function runBounded<Item, Result>(
  items: readonly Item[],
  limit: number,
  work: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const results = new Map<number, Result>();
  const queue = items.entries();
  const drain = async (): Promise<void> => {
    // All drains take from the same iterator.
    for (const [index, item] of queue) results.set(index, await work(item));
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, drain));
  return [...results].toSorted(([one], [other]) => one - other).map(([, result]) => result);
}
