import type { Clock, Logger } from "@factotum/agent-contract";
import type { SqliteStore } from "@factotum/store";

/** No start is delayed by a copy, nor the first messages after it; but what was killed again and again is still looked at, and a new database soon has a copy. */
const FIRST_LOOK_MS = 60_000;
const LOOK_MS = 60 * 60_000;
/** What the first conversation of a process was about is not lost with the hour. */
const AFTER_FIRST_TURN_MS = 5 * 60_000;
/** A snapshot of this age is replaced, whatever has changed: taking one checks the structure. */
const MAX_AGE_MS = 24 * 60 * 60_000;

/** What the keeping of snapshots needs. */
export interface KeepSnapshotsOptions {
  readonly store: Pick<SqliteStore, "snapshot" | "lastSnapshotAtMs" | "hasChangedSinceSnapshot" | "firstTurn">;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The last gateway did not come to its end: the database is looked at although its snapshot is young. */
  readonly wasKilled: boolean;
}

/**
 * Takes a snapshot of the database, and with it checks its structure: five minutes after the first turn, every hour in which something has changed, once a day
 * and after an unclean end (R10). Dispose it to end that.
 */
export function keepSnapshots({ store, clock, logger, wasKilled }: KeepSnapshotsOptions): Disposable {
  let isDue = wasKilled;
  let isEnded = false;
  let work: Promise<void> = Promise.resolve();
  const timers = new Set<Disposable>();
  /** One after the other: two copies at a time would write the same file. */
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
    // A time in the future is one of a clock that was set back.
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
