import { StoreError } from "../port/store-error.ts";
import type { PendingCommit } from "../port/pending-commit.ts";
import type { SqliteStoreParts } from "./sqlite-store-parts.ts";
import { toStoreError } from "./to-store-error.ts";

/** How every method of the store does its work: as one queued write or as one read, whose failures are typed and looked at for damage. */
export class StoreCalls {
  readonly #parts: Pick<SqliteStoreParts, "writer" | "keeper">;
  #isClosed = false;

  constructor(parts: Pick<SqliteStoreParts, "writer" | "keeper">) {
    this.#parts = parts;
  }

  /** Resolves after the commit. One that may wait goes with the next that may not. */
  async write<Result>(work: () => Result, options?: { readonly mayWait?: boolean }): Promise<Result> {
    this.refuseClosed();
    try {
      return await this.#parts.writer.write(work, options);
    } catch (error) {
      this.#parts.keeper.look(error);
      throw error;
    }
  }

  /** Resolves once the work is done; it is on disk when `committed` resolves. */
  async writeOptimistic<Result>(work: () => Result): Promise<PendingCommit<Result>> {
    this.refuseClosed();
    try {
      const written = await this.#parts.writer.writeOptimistic(work);
      written.committed.catch((error: unknown) => this.#parts.keeper.look(error));
      return written;
    } catch (error) {
      this.#parts.keeper.look(error);
      throw error;
    }
  }

  async read<Result>(work: () => Result): Promise<Result> {
    this.refuseClosed();
    try {
      return work();
    } catch (error) {
      const failure = toStoreError(error);
      this.#parts.keeper.look(failure);
      throw failure;
    }
  }

  /** From here on everything is refused. */
  close(): void {
    this.#isClosed = true;
  }

  /** Throws a `StoreError` of the code `closed` after `close`. */
  refuseClosed(): void {
    if (this.#isClosed) throw new StoreError("closed", "The store is closed.");
  }
}
