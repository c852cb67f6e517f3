import { StoreError } from "../port/store-error.ts";
import type { StoreCalls } from "./store-calls.ts";
import type { SqliteStoreParts } from "./sqlite-store-parts.ts";

/** Closes a store: refuses new calls, commits what is queued, completes the plain files, and saves a database that was unlinked meanwhile. */
export class StoreShutdown {
  readonly #parts: SqliteStoreParts & { readonly calls: StoreCalls };
  #closing: Promise<void> | undefined;

  constructor(parts: SqliteStoreParts & { readonly calls: StoreCalls }) {
    this.#parts = parts;
  }

  /** Closes once; later calls return the same promise. */
  close(): Promise<void> {
    this.#parts.calls.close();
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const { copier, damage, keeper, tables, writer } = this.#parts;
    try {
      writer.drain();
      await copier.stop();
      writer.drain();
      writer.refuse(new StoreError("closed", "The store is closed."));
      await damage.close();
      if (keeper.isUnlinked) await this.#saveLast();
    } finally {
      // An open connection would write to the files that a recovery has set aside, and remove the log of their successor.
      tables.database.close();
    }
  }

  /** Takes the last snapshot of an unlinked database, whose data exists nowhere else. Never rejects: the plain files remain. */
  async #saveLast(): Promise<void> {
    const { keeper, logger } = this.#parts;
    try {
      await keeper.save({ isLast: true });
      logger.error("The database was deleted or replaced while it was in use: it is saved, and the next start restores it");
    } catch (error) {
      logger.error("The database was deleted or replaced while it was in use, and could not be saved", { error });
    }
  }
}
