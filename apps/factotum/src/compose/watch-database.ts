import type { Clock, Logger } from "@factotum/agent-contract";
import { StoreError } from "@factotum/store";
import type { SqliteStore } from "@factotum/store";

/** Input accepted between a deletion and the next check is lost by a kill in that time. */
const LOOK_MS = 2000;

const REASON =
  "My database was deleted or replaced while I was using it. I save what it holds and start again; please write again in a minute.";

/** Options of the watch. */
export interface WatchDatabaseOptions {
  readonly store: Pick<SqliteStore, "isUnlinked" | "saveUnlinked">;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Stops accepting input. */
  readonly refuse: (reason: string) => void;
  /** The database is saved: close the store and open it again. */
  readonly onSaved: () => void;
}

/**
 * Detects that the database file was deleted or replaced while it is in use. Then no input is accepted, and the content is saved over the open connection; a
 * failed save, as on a full disk, is retried with each check. A damaged database cannot be saved: the store reports it through `onStructureDamage`, with the
 * same consequences. Dispose to stop.
 */
export function watchDatabase({ store, clock, logger, refuse, onSaved }: WatchDatabaseOptions): Disposable {
  let isEnded = false;
  let isNoticed = false;
  let hasFailed = false;
  const look = async (): Promise<void> => {
    if (isEnded) return;
    if (!isNoticed && !store.isUnlinked) return next();
    if (!isNoticed) {
      isNoticed = true;
      logger.error("The database was deleted or replaced while it is in use: nothing new is taken, and what it holds is saved");
      refuse(REASON);
    }
    try {
      await store.saveUnlinked();
      onSaved();
    } catch (error) {
      if (StoreError.isInstance(error) && error.code === "damaged")
        return logger.error("The database is damaged as well: the next start restores its last sound snapshot", { error });
      if (!hasFailed) logger.error("What the database holds could not be saved; it is tried again until it can be", { error });
      hasFailed = true;
      next();
    }
  };
  let timer: Disposable | undefined;
  const next = (): void => {
    if (!isEnded) timer = clock.schedule(LOOK_MS, () => void look());
  };
  next();
  return {
    [Symbol.dispose]: () => {
      isEnded = true;
      timer?.[Symbol.dispose]();
    },
  };
}
