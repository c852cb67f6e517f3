import { StoreError } from "../port/store-error.ts";
import type { SqliteStoreParts } from "./sqlite-store-parts.ts";
import { toStoreError } from "./to-store-error.ts";

/** Runs the work of the store's methods, as one queued write or as one read. Failures become `StoreError`s and are checked for signs of damage. */
export class StoreCalls {
  readonly #parts: Pick<SqliteStoreParts, "writer" | "keeper">;
  #isClosed = false;

  constructor(parts: Pick<SqliteStoreParts, "writer" | "keeper">) {
    this.#parts = parts;
  }

  /** Resolves after the commit. With `mayWait` the write is deferrable: it shares the commit of the next write that is not. */
  async write<Result>(work: () => Result, options?: { readonly mayWait?: boolean }): Promise<Result> {
    this.#refuseClosed();
    try {
      return await this.#parts.writer.write(work, options);
    } catch (error) {
      this.#parts.keeper.inspect(error);
      throw error;
    }
  }

  async read<Result>(work: () => Result): Promise<Result> {
    this.#refuseClosed();
    try {
      return work();
    } catch (error) {
      const failure = toStoreError(error);
      this.#parts.keeper.inspect(failure);
      throw failure;
    }
  }

  /** For other work: on files, snapshots and plain files, and for writes that resolve before their commit. */
  async whileOpen<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#refuseClosed();
    return work();
  }

  /** Later calls reject with a `StoreError` of the code `closed`. */
  close(): void {
    this.#isClosed = true;
  }

  #refuseClosed(): void {
    if (this.#isClosed) throw new StoreError("closed", "The store is closed.");
  }
}
