import type { Clock, Logger } from "@factotum/agent-contract";
import type { SqliteStore } from "@factotum/store";

/** Delays neither the start nor its first messages; but a process that is killed repeatedly is still checked, and a new database soon has a snapshot. */
const FIRST_LOOK_MS = 60_000;
const LOOK_MS = 60 * 60_000;
/** Limits the loss of a process's first conversation to less than an hour. */
const AFTER_FIRST_TURN_MS = 5 * 60_000;
/** A snapshot of this age is replaced even without a change: taking one checks the structure. */
const MAX_AGE_MS = 24 * 60 * 60_000;

/** Options of the snapshot schedule. */
export interface KeepSnapshotsOptions {
  readonly store: Pick<SqliteStore, "snapshot" | "lastSnapshotAtMs" | "hasChangedSinceSnapshot" | "firstTurn">;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The last gateway ended uncleanly: check the database even if its snapshot is recent. */
  readonly wasKilled: boolean;
}

/**
 * Takes a snapshot of the database, which checks its structure: five minutes after the first turn, every hour with a change, once a day and after an unclean
 * end (R10). Dispose to stop.
 */
export function keepSnapshots({ store, clock, logger, wasKilled }: KeepSnapshotsOptions): Disposable {
  let isDue = wasKilled;
  let isEnded = false;
  let work: Promise<void> = Promise.resolve();
  const timers = new Set<Disposable>();
  /** One at a time: two concurrent copies would write the same file. */
  const takeIf = (isWanted: () => Promise<boolean>): Promise<void> => {
    work = work.then(async () => {
      try {
        if (isEnded || !(await isWanted())) return;
        await store.snapshot();
        isDue = false;
      } catch (error) {
        if (!isEnded) logger.warn("No snapshot of the database could be taken; it is tried again in an hour", { error });
      }
    });
    return work;
  };
  const isOld = async (): Promise<boolean> => {
    const takenAtMs = await store.lastSnapshotAtMs();
    // A time in the future means that the clock was set back.
    const isYoung = takenAtMs !== undefined && takenAtMs <= clock.now() && clock.now() - takenAtMs < MAX_AGE_MS;
    return isDue || !isYoung;
  };
  const hasChanged = async (): Promise<boolean> => store.hasChangedSinceSnapshot();
  const schedule = (delayMs: number, run: () => void): void => {
    if (isEnded) return;
    const timer = clock.schedule(delayMs, () => {
      timers.delete(timer);
      run();
    });
    timers.add(timer);
  };
  const look = (isWanted: () => Promise<boolean>): void => {
    void takeIf(isWanted).then(() => schedule(LOOK_MS, () => look(async () => (await isOld()) || (await hasChanged()))));
  };
  schedule(FIRST_LOOK_MS, () => look(isOld));
  void store.firstTurn.then(() => schedule(AFTER_FIRST_TURN_MS, () => void takeIf(hasChanged)));
  return {
    [Symbol.dispose]: () => {
      isEnded = true;
      for (const timer of timers) timer[Symbol.dispose]();
    },
  };
}
