/** The last work of each path, by real path. All of the process shares it: several `FileAccess`es write the same files. */
const tails = new Map<string, Promise<void>>();

/** Runs `work` once all earlier work of any of these real paths has settled, and settles like it. Within `work` no further turn may be awaited. */
export async function takeTurns<Result>(paths: readonly string[], work: () => Promise<Result>): Promise<Result> {
  const turn = Promise.withResolvers<void>();
  const before = paths.flatMap((path) => tails.get(path) ?? []);
  // In all queues at once: two works of the same paths cannot wait for each other.
  for (const path of paths) tails.set(path, turn.promise);
  try {
    await Promise.all(before);
    return await work();
  } finally {
    for (const path of paths) if (tails.get(path) === turn.promise) tails.delete(path);
    turn.resolve();
  }
}
