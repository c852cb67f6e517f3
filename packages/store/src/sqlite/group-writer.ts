import type { Clock, Logger } from "@factotum/agent-contract";
import { StoreError } from "../port/store-error.ts";
import type { PendingCommit } from "../port/optimistic-writes.ts";
import type { Database } from "./connection/database.ts";
import { numberOf } from "./values/row.ts";
import { endsTransaction, toStoreError } from "./to-store-error.ts";

/** Writes that share one flush at most; the rest waits for the next one. With a hundred active sessions, larger batches would block the event loop. */
const MAX_BATCH = 8;

interface QueuedWrite {
  readonly run: () => void;
  /** Deferrable: joins the next write that is not. */
  readonly mayWait: boolean;
  /** Resolves its caller's promise, after the commit. */
  readonly acknowledge: () => void;
  readonly reject: (error: StoreError) => void;
}

/** The callbacks of the writer. */
export interface GroupWriterOptions {
  /** The epoch that this process took when it opened the store. */
  readonly epoch: number;
  /** Runs inside every transaction before its commit: small changes that never justify a flush of their own. */
  readonly beforeCommit: () => void;
  /** Runs after every commit, before the callers' promises resolve. Must not throw: the commit cannot be undone. */
  readonly afterCommit: () => void;
  /** Runs after a write, or a whole transaction, was rolled back. Must not throw. */
  readonly afterRollback: () => void;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** How long a deferrable write may wait to share another write's flush. */
const COMPANY_MS = 1_000;

/** After a pause of this length the log is checkpointed, so that it is short again and no later turn has to wait for it. */
const CHECKPOINT_AFTER_MS = 1_000;

/**
 * Group commit: the writes requested in one turn of the event loop share one transaction and one flush. Each has a savepoint, so one that fails does not affect
 * the others; none is acknowledged before the commit. Every transaction first checks that the process still owns the store.
 *
 * An optimistic write opens the transaction and leaves it open until the next turn of the event loop: dependent work is prepared, and even sent, meanwhile.
 */
export class GroupWriter {
  readonly #database: Database;
  readonly #options: GroupWriterOptions;
  #queue: QueuedWrite[] = [];
  /** The writes of the open transaction. */
  #done: QueuedWrite[] = [];
  /** Committed writes whose callers have not been resolved yet. */
  #unresolved: (() => void)[] = [];
  #resolving: NodeJS.Immediate | undefined;
  /** A non-deferrable write is waiting until the callers of the last commit are resolved. */
  #isHurried = false;
  #flushing: NodeJS.Immediate | undefined;
  /** Cancels the timer of deferrable writes. */
  #waiting: Disposable | undefined;
  #refusal: StoreError | undefined;
  #commits = 0;
  #writes = 0;
  #pause: { readonly timer: Disposable; readonly commits: number } | undefined;

  constructor(database: Database, options: GroupWriterOptions) {
    this.#database = database;
    this.#options = options;
  }

  /** Commits, each of which flushed once. */
  get commits(): number {
    return this.#commits;
  }

  /** Writes that were committed. */
  get writes(): number {
    return this.#writes;
  }

  /** Queues one write; resolves after its commit. With `mayWait` the write is deferrable: it joins the next write that is not, or commits alone after a second. */
  write<Result>(work: () => Result, { mayWait = false }: { readonly mayWait?: boolean } = {}): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      if (this.#refusal !== undefined) {
        reject(this.#refusal);
        return;
      }
      let result: Result;
      const run = (): void => {
        result = work();
      };
      this.#queue.push({ run, mayWait, acknowledge: () => resolve(result), reject });
      if (mayWait) this.#waiting ??= this.#options.clock.schedule(COMPANY_MS, () => this.#flushSoon());
      else this.#flushSoon();
    });
  }

  /**
   * Runs the work at once, in the transaction that the next commit ends, and rejects if the work fails. Behind other queued writes, and if the batch is full,
   * it is like `write`: uncommitted data is visible only if it was written optimistically.
   */
  async writeOptimistic<Result>(work: () => Result): Promise<PendingCommit<Result>> {
    if (this.#refusal !== undefined) throw this.#refusal;
    if (this.#done.length + this.#queue.length >= MAX_BATCH || this.#queue.some(({ mayWait }) => !mayWait))
      return { result: await this.write(work), committed: Promise.resolve() };
    const made = Promise.withResolvers<Result>();
    const committed = Promise.withResolvers<void>();
    // Callers that await it get the failure.
    committed.promise.catch(() => undefined);
    const reject = (error: StoreError): void => {
      made.reject(error);
      committed.reject(error);
    };
    this.#queue.push({ run: () => made.resolve(work()), mayWait: false, acknowledge: committed.resolve, reject });
    this.#flushSoon();
    this.#advance();
    return { result: await made.promise, committed: committed.promise };
  }

  #flushSoon(): void {
    this.#waiting?.[Symbol.dispose]();
    this.#waiting = undefined;
    this.#flushing ??= setImmediate(() => this.#flush());
  }

  /** True while this process still owns the store, as far as it can tell. */
  ownsStore(): boolean {
    return this.#refusal === undefined && this.#readEpoch() === this.#options.epoch;
  }

  /** Commits the open transaction, if there is one, so that later reads are durable. */
  commitOpen(): void {
    if (this.#done.length > 0) this.drain();
  }

  /** Commits everything that is done or queued, now. */
  drain(): void {
    this.#resolveAll();
    while (this.#queue.length > 0 || this.#done.length > 0 || this.#flushing !== undefined) {
      this.#flush();
      this.#resolveAll();
    }
  }

  /** Refuses every later write with `error`. */
  refuse(error: StoreError): void {
    this.#refusal ??= error;
    this.#pause?.timer[Symbol.dispose]();
    this.#pause = undefined;
  }

  #flush(): void {
    if (this.#flushing !== undefined) clearImmediate(this.#flushing);
    this.#flushing = undefined;
    if (this.#unresolved.length > 0) {
      this.#isHurried = true;
      return;
    }
    this.#waiting?.[Symbol.dispose]();
    this.#waiting = undefined;
    this.#advance();
    this.#isHurried = this.#queue.length > 0;
    if (!this.#commit()) return this.#goOn();
    this.#options.afterCommit();
    if (this.#pause === undefined) this.#awaitPause();
    this.#resolveNext();
  }

  /**
   * Resolves each caller in a separate turn of the event loop: with many active sessions, resolving all at once would block the loop. Their next writes wait
   * for the last of them, and share a flush.
   */
  #resolveNext(): void {
    this.#resolving = undefined;
    this.#unresolved.shift()?.();
    if (this.#unresolved.length > 0) this.#resolving = setImmediate(() => this.#resolveNext());
    else this.#goOn();
  }

  #resolveAll(): void {
    if (this.#resolving !== undefined) clearImmediate(this.#resolving);
    this.#resolving = undefined;
    for (const acknowledge of this.#unresolved.splice(0)) acknowledge();
  }

  #goOn(): void {
    if (this.#isHurried) this.#flushSoon();
    this.#isHurried = false;
  }

  #awaitPause(): void {
    const timer = this.#options.clock.schedule(CHECKPOINT_AFTER_MS, () => {
      const isPause = this.#pause?.commits === this.#commits && !this.#database.inTransaction;
      this.#pause = undefined;
      if (!isPause) this.#awaitPause();
      else this.#checkpoint();
    });
    this.#pause = { timer, commits: this.#commits };
  }

  /** If a checkpoint fails, its pages stay in the log, which is as safe, until the next pause. */
  #checkpoint(): void {
    try {
      this.#database.checkpoint();
    } catch (error) {
      this.#options.logger.warn("The database's log could not be written back; it is tried again after the next change.", { error });
    }
  }

  /** Runs queued writes, up to the limit of one commit, in the open transaction or a new one. */
  #advance(): void {
    const batch = this.#queue.splice(0, MAX_BATCH - this.#done.length);
    if (batch.length === 0) return;
    const isAlone = this.#done.length === 0 && batch.length === 1;
    try {
      if (!this.#database.inTransaction) this.#begin();
      for (const write of batch) {
        // A single write needs no savepoint: if it fails, the whole transaction is rolled back.
        if (isAlone) write.run();
        else if (!this.#attempt(write)) continue;
        this.#done.push(write);
      }
    } catch (error) {
      this.#takeBack([...this.#done, ...batch], error);
    }
  }

  #begin(): void {
    if (this.#refusal !== undefined) throw this.#refusal;
    this.#database.run("BEGIN IMMEDIATE");
    this.#checkOwnership();
  }

  /** Commits the open transaction; false if there is none or it failed. */
  #commit(): boolean {
    if (this.#done.length === 0) {
      if (this.#database.inTransaction) this.#rollBack();
      return false;
    }
    try {
      this.#options.beforeCommit();
      this.#database.run("COMMIT");
    } catch (error) {
      this.#takeBack(this.#done, error);
      return false;
    }
    this.#commits += 1;
    this.#writes += this.#done.length;
    this.#unresolved = this.#done.map(({ acknowledge }) => acknowledge);
    this.#done = [];
    return true;
  }

  #takeBack(writes: readonly QueuedWrite[], error: unknown): void {
    const storeError = toStoreError(error);
    this.#done = [];
    try {
      this.#rollBack();
    } finally {
      for (const write of writes) write.reject(storeError);
    }
  }

  /** False if the write failed on its own; its caller was notified. */
  #attempt(write: QueuedWrite): boolean {
    const database = this.#database;
    database.run("SAVEPOINT one_write");
    try {
      write.run();
      database.run("RELEASE one_write");
      return true;
    } catch (error) {
      if (endsTransaction(error) || !database.inTransaction) throw error;
      database.run("ROLLBACK TO one_write");
      database.run("RELEASE one_write");
      this.#options.afterRollback();
      write.reject(toStoreError(error));
      return false;
    }
  }

  #checkOwnership(): void {
    if (this.#readEpoch() === this.#options.epoch) return;
    this.#refusal = new StoreError("lost-ownership", "Another process has opened the store. This one must stop writing and end.");
    throw this.#refusal;
  }

  #readEpoch(): number | undefined {
    const row = this.#database.get("SELECT epoch FROM ownership WHERE id = 1");
    return row === undefined ? undefined : numberOf(row, "epoch");
  }

  #rollBack(): void {
    if (this.#database.inTransaction) this.#database.run("ROLLBACK");
    this.#options.afterRollback();
  }
}
