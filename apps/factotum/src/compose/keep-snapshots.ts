import type { Clock, Logger } from "@factotum/agent-contract";
import type { SqliteStore } from "@factotum/store";

/** No start is delayed by a copy, nor the first messages after it; but what was killed again and again is still looked at, and a new database soon has a copy. */
const FIRST_LOOK_MS = 60_000;
const LOOK_MS = 60 * 60_000;
/** A snapshot of this age is replaced. */
const MAX_AGE_MS = 24 * 60 * 60_000;

/** What the keeping of snapshots needs. */
export interface KeepSnapshotsOptions {
  readonly store: Pick<SqliteStore, "snapshot" | "lastSnapshotAtMs">;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The last gateway did not come to its end: the database is looked at although its snapshot is young. */
  readonly wasKilled: boolean;
}

/** Takes a snapshot of the database, and with it checks its structure, once a day and after an unclean end (R10). Dispose it to end that. */
export function keepSnapshots({ store, clock, logger, wasKilled }: KeepSnapshotsOptions): Disposable {
  let isDue = wasKilled;
  let isEnded = false;
  const look = async (): Promise<void> => {
    const takenAtMs = await store.lastSnapshotAtMs();
    // A time in the future is one of a clock that was set back.
    const isYoung = takenAtMs !== undefined && takenAtMs <= clock.now() && clock.now() - takenAtMs < MAX_AGE_MS;
    if (isYoung && !isDue) return;
    await store.snapshot();
    isDue = false;
  };
  const schedule = (delayMs: number): Disposable =>
    clock.schedule(delayMs, () => {
      void look()
        .catch((error: unknown) => {
          if (!isEnded) logger.warn("No snapshot of the database could be taken; it is tried again in an hour", { error });
        })
        .finally(() => {
          if (!isEnded) timer = schedule(LOOK_MS);
        });
    });
  let timer = schedule(FIRST_LOOK_MS);
  return {
    [Symbol.dispose]: () => {
      isEnded = true;
      timer[Symbol.dispose]();
    },
  };
}
