import { backup } from "node:sqlite";
import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import { setImmediate as nextTick } from "node:timers/promises";
import type { Row } from "../values/row.ts";

/** Pages copied at a time: the event loop runs in between. */
const COPIED_PAGES = 200;

/** How long a statement waits for a lock of another process. */
export const BUSY_TIMEOUT_MS = 5000;

/** How often a copy is retried: a transaction lasts for one or two turns of the event loop. */
const COPY_ATTEMPTS = 100;

/** One connection with its prepared statements. Every text given to it is a constant, so the number of statements is bounded by the code. */
export class Database {
  readonly #connection: DatabaseSync;
  readonly #statements: Map<string, StatementSync> = new Map();
  #rowsRead = 0;

  constructor(connection: DatabaseSync) {
    this.#connection = connection;
  }

  /** Rows that queries have handed out so far. */
  get rowsRead(): number {
    return this.#rowsRead;
  }

  get inTransaction(): boolean {
    return this.#connection.isTransaction;
  }

  /** The text of every statement that was used so far. */
  get statements(): readonly string[] {
    return [...this.#statements.keys()];
  }

  /** Runs a change and returns the number of changed rows. */
  run(sql: string, ...values: SQLInputValue[]): number {
    return Number(this.#prepare(sql).run(...values).changes);
  }

  /** Inserts one row and returns its number. */
  insert(sql: string, ...values: SQLInputValue[]): number {
    return Number(this.#prepare(sql).run(...values).lastInsertRowid);
  }

  get(sql: string, ...values: SQLInputValue[]): Row | undefined {
    const row = this.#prepare(sql).get(...values);
    if (row !== undefined) this.#rowsRead += 1;
    return row;
  }

  all(sql: string, ...values: SQLInputValue[]): readonly Row[] {
    const rows = this.#prepare(sql).all(...values);
    this.#rowsRead += rows.length;
    return rows;
  }

  /** Yields rows one by one, so that the caller may stop early. Do not run the same statement again meanwhile. */
  *each(sql: string, ...values: SQLInputValue[]): Generator<Row> {
    for (const row of this.#prepare(sql).iterate(...values)) {
      this.#rowsRead += 1;
      yield row;
    }
  }

  /** Runs statements without caching them. */
  execute(sql: string): void {
    this.#connection.exec(sql);
  }

  /**
   * Copies the whole database into a new file, over this connection and in the background. Fails and is retried if a transaction is open when the first pages
   * are read.
   */
  async copyTo(path: string): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        await backup(this.#connection, path, { rate: COPIED_PAGES });
        return;
      } catch (error) {
        if (!isTurnedAway(error) || attempt === COPY_ATTEMPTS) throw error;
        await nextTick();
      }
    }
  }

  /** Checkpoints and truncates the log. Never waits: pages that a reader of another process needs stay in the log until the next checkpoint. */
  checkpoint(): void {
    this.execute("PRAGMA busy_timeout = 0");
    try {
      this.execute("PRAGMA wal_checkpoint(TRUNCATE)");
    } finally {
      this.execute(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
    }
  }

  /** Bytes of all pages of the database, without its log. */
  pageBytes(): number {
    const row = this.get("SELECT page_count * page_size AS bytes FROM pragma_page_count(), pragma_page_size()");
    return Number(row?.["bytes"] ?? 0);
  }

  close(): void {
    this.#statements.clear();
    if (this.#connection.isOpen) this.#connection.close();
  }

  #prepare(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.#connection.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }
}

/** Node's driver reports a copy that could not begin because its source is being written as a failure with the code of success. */
function isTurnedAway(error: unknown): boolean {
  return error instanceof Error && "errcode" in error && error.errcode === 0;
}
