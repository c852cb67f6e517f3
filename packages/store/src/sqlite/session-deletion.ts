import type { StoreCalls } from "./store-calls.ts";
import type { SqliteStoreParts } from "./sqlite-store-parts.ts";

/** Deletes conversations. Their plain files are completed first, while the rows still exist, and renamed after the commit. */
export class SessionDeletion {
  readonly #parts: Pick<SqliteStoreParts, "copier" | "transactions"> & { readonly calls: StoreCalls };

  constructor(parts: Pick<SqliteStoreParts, "copier" | "transactions"> & { readonly calls: StoreCalls }) {
    this.#parts = parts;
  }

  async deleteSession(key: string, nowMs: number): Promise<readonly string[]> {
    const { calls, copier, transactions } = this.#parts;
    await copier.flush();
    const deleted = await calls.write(() => transactions.deleteSession(key, nowMs));
    if (deleted.length > 0) await copier.renameDeleted();
    return deleted;
  }

  async deleteConversation(sessionId: string, nowMs: number): Promise<boolean> {
    const { calls, copier, transactions } = this.#parts;
    await copier.flush();
    const isDeleted = await calls.write(() => transactions.deleteConversation(sessionId, nowMs));
    if (isDeleted) await copier.renameDeleted();
    return isDeleted;
  }
}
