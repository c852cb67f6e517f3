import { setImmediate as nextTick } from "node:timers/promises";
import type { Logger } from "@factotum/agent-contract";
import type { SessionRecord } from "../port/session-records.ts";
import { StoreError } from "../port/store-error.ts";
import type { ImportedSession, ImportOptions } from "../port/session-store.ts";
import { batchesOf } from "../session-file/batches-of.ts";
import type { StoreCalls } from "./store-calls.ts";
import type { Tables } from "./tables/tables.ts";
import type { Transactions } from "./transactions.ts";

/** Entries of a failed import that one commit removes. */
const REMOVED_ENTRIES = 500;

/**
 * Imports sessions batch by batch: the entries go into a conversation that belongs to no session and is invisible; the last commit attaches it. Leftovers of an
 * import that ended before that are removed, at once or by the next start.
 */
export class SessionImports {
  readonly #tables: Tables;
  readonly #transactions: Transactions;
  readonly #calls: StoreCalls;

  constructor(parts: { readonly tables: Tables; readonly transactions: Transactions; readonly calls: StoreCalls }) {
    this.#tables = parts.tables;
    this.#transactions = parts.transactions;
    this.#calls = parts.calls;
  }

  /** Rejects before it has read an entry if the names are taken. */
  async take(session: ImportedSession, { isTrial = false, signal }: ImportOptions): Promise<SessionRecord> {
    const record = await this.#try(session);
    if (isTrial) return record;
    const { conversations, sessions } = this.#tables;
    const n = await this.#calls.write(() => conversations.beginImport());
    try {
      const ids = new Map<string, string>();
      for await (const batch of batchesOf(session.entries)) {
        signal?.throwIfAborted();
        await this.#calls.write(() => this.#transactions.appendImported(n, batch, ids));
        // Let callers that waited for the commit run first.
        await nextTick();
      }
      signal?.throwIfAborted();
      return await this.#calls.write(() => sessions.insertImported(n, session));
    } catch (error) {
      await this.#discard(n);
      throw error;
    }
  }

  /** Removes leftovers of earlier processes. Never rejects. */
  async sweep(logger: Logger): Promise<void> {
    try {
      const left = await this.#calls.read(() => this.#tables.conversations.imports());
      for (const n of left) await this.#remove(n);
      if (left.length > 0) logger.info("Unfinished imports of an earlier run were removed.", { imports: left.length });
    } catch (error) {
      if (StoreError.isInstance(error) && error.code === "closed") return;
      logger.warn("Unfinished imports could not be removed; the next start tries again.", { error });
    }
  }

  async #try(session: ImportedSession): Promise<SessionRecord> {
    const rollback = new StoreError("internal", "The import was a trial.");
    let record: SessionRecord | undefined;
    try {
      return await this.#calls.write(() => {
        record = this.#tables.sessions.insertImported(this.#tables.conversations.beginImport(), session);
        throw rollback;
      });
    } catch (error) {
      if (error !== rollback || record === undefined) throw error;
      return record;
    }
  }

  /** The caller gets the error that ended the import; what cannot be removed now is removed by the next start. */
  async #discard(n: number): Promise<void> {
    try {
      await this.#remove(n);
    } catch (error) {
      if (!StoreError.isInstance(error)) throw error;
    }
  }

  async #remove(n: number): Promise<void> {
    while (await this.#calls.write(() => this.#tables.transcripts.removeImport(n, REMOVED_ENTRIES))) await nextTick();
  }
}
