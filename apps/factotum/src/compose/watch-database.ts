import type { Clock, Logger } from "@factotum/agent-contract";
import { StoreError } from "@factotum/store";
import type { SqliteStore } from "@factotum/store";

/** What is taken in between a deletion and the look after it is lost by a kill in that time. */
const LOOK_MS = 2000;

const REASON =
  "My database was deleted or replaced while I was using it. I save what it holds and start again; please write again in a minute.";

/** What the watch needs. */
export interface WatchDatabaseOptions {
  readonly store: Pick<SqliteStore, "isUnlinked" | "saveUnlinked">;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Takes nothing new from here on. */
  readonly refuse: (reason: string) => void;
  /** What the database held is saved: close the store and open it again. */
  readonly onSaved: () => void;
}

/**
 * Notices that the file of the database was deleted or replaced while it is in use. Nothing new is taken then, and what it holds is saved over the connection
 * that still has it; a save that fails, as on a full disk, is tried again with each look. A damaged database cannot be saved: the store reports it through
 * `onStructureDamage`, and what comes next is the same. Dispose it to end that.
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
