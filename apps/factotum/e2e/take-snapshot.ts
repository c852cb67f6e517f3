import { openStoppedStore } from "./open-stopped-store.ts";

/** Takes a snapshot of a stopped product's database, as a gateway does that runs for some minutes. */
export async function takeSnapshot(home: string): Promise<void> {
  const store = await openStoppedStore(home);
  try {
    const problems = await store.snapshot();
    if (problems.length > 0) throw new Error(`the snapshot has problems: ${problems.join("; ")}`);
  } finally {
    await store.close();
  }
}
