import type { DatabaseSync, SQLInputValue, SQLOutputValue } from "node:sqlite";

/** Rows queried one by one where a page is unreadable, at most: those between the readable ones from the front and from the back. */
const MAX_PROBES = 100_000;

type Row = Readonly<Record<string, SQLOutputValue>>;

interface Table {
  readonly name: string;
  readonly columns: readonly string[];
  /** Names of the columns that order it, quoted for a statement. */
  readonly key: string;
  readonly hasRowid: boolean;
}

/**
 * Copies every readable row of a damaged database into `into`, over rows with the same key. Resolves with the number of rows, and of tables that were partly
 * unreadable. Foreign keys must be off in `into`.
 */
export function salvageRows(from: DatabaseSync, into: DatabaseSync): { readonly rows: number; readonly brokenTables: number } {
  let [rows, brokenTables] = [0, 0];
  for (const table of tablesOf(into)) {
    const columns = columnsOf(from, table.name).filter((column) => table.columns.includes(column));
    if (columns.length === 0) {
      brokenTables += 1;
      continue;
    }
    const found = new Reading(from, { ...table, columns });
    const insert = into.prepare(
      `INSERT OR REPLACE INTO ${quote(table.name)} (${list(columns)}) VALUES (${columns.map(() => "?").join(", ")})`,
    );
    for (const row of found.rows()) {
      const values = columns.map((column) => row[column] as SQLInputValue);
      if (attempt(() => insert.run(...values)) !== undefined) rows += 1;
      else found.isWhole = false;
    }
    if (!found.isWhole) brokenTables += 1;
  }
  return { rows, brokenTables };
}

/** The readable rows of one table. */
class Reading {
  readonly #database: DatabaseSync;
  readonly #table: Table;
  isWhole = true;

  constructor(database: DatabaseSync, table: Table) {
    this.#database = database;
    this.#table = table;
  }

  *rows(): Generator<Row> {
    const first = this.#positionOf(yield* this.#inOrder("ASC"));
    if (this.isWhole) return;
    const last = this.#positionOf(yield* this.#inOrder("DESC"));
    if (!this.#table.hasRowid || first === undefined) return;
    const end = Math.min(last ?? this.#highest(), first + MAX_PROBES);
    const probe = attempt(() => this.#database.prepare(`${this.#select()} WHERE rowid = ?`));
    for (let rowid = first + 1; probe !== undefined && rowid < end; rowid += 1) {
      const row = attempt(() => probe.get(rowid));
      if (row !== undefined) yield row;
    }
  }

  /** Yields rows from one end until one is unreadable; returns the last one. */
  *#inOrder(direction: "ASC" | "DESC"): Generator<Row, Row | undefined> {
    let last: Row | undefined;
    try {
      const rows = this.#database.prepare(`${this.#select()} ORDER BY ${this.#table.key.replaceAll(",", ` ${direction},`)} ${direction}`);
      for (const row of rows.iterate()) yield (last = row);
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      this.isWhole = false;
    }
    return last;
  }

  #select(): string {
    const { name, columns, hasRowid } = this.#table;
    return `SELECT ${hasRowid ? "rowid AS salvaged_rowid, " : ""}${list(columns)} FROM ${quote(name)}`;
  }

  #positionOf(row: Row | undefined): number | undefined {
    const position = row?.["salvaged_rowid"];
    return typeof position === "number" ? position : undefined;
  }

  /** The highest number that the table has assigned, if readable. */
  #highest(): number {
    const row = attempt(() => this.#database.prepare("SELECT seq FROM sqlite_sequence WHERE name = ?").get(this.#table.name));
    return typeof row?.["seq"] === "number" ? row["seq"] + 1 : MAX_PROBES;
  }
}

function tablesOf(database: DatabaseSync): readonly Table[] {
  const tables = database
    .prepare("SELECT name, wr FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite_%'")
    .all();
  return tables.map((row) => {
    const name = String(row["name"]);
    const hasRowid = row["wr"] === 0;
    const key = database.prepare("SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk").all(name);
    return { name, columns: columnsOf(database, name), hasRowid, key: hasRowid ? "rowid" : list(key.map((one) => String(one["name"]))) };
  });
}

/** Empty if even that is unreadable. */
function columnsOf(database: DatabaseSync, table: string): readonly string[] {
  const rows = attempt(() => database.prepare("SELECT name FROM pragma_table_info(?) ORDER BY cid").all(table));
  return (rows ?? []).map((row) => String(row["name"]));
}

/** The result, or undefined if SQLite fails, which is expected of a damaged file. */
function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof Error && "errcode" in error) return undefined;
    throw error;
  }
}

function list(columns: readonly string[]): string {
  return columns.map(quote).join(", ");
}

function quote(name: string): string {
  return `"${name}"`;
}
