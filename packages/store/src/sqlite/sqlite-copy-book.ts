import { withoutUndefined } from "@factotum/agent-contract";
import type { CopyBook, CopyPosition, CopyTask, DeletedCopy } from "../copies/copy-book.ts";
import { StoreError } from "../port/store-error.ts";
import type { Database } from "./connection/database.ts";
import type { GroupWriter } from "./group-writer.ts";
import { numberOf, textOf } from "./values/row.ts";
import type { Row } from "./values/row.ts";
import type { Tables } from "./tables/tables.ts";

/** The copier's view of the store, limited to committed data. Positions never cost a flush: they piggyback on the next commit, and a lost one only repeats work. */
export class SqliteCopyBook implements CopyBook {
  readonly #database: Database;
  readonly #tables: Pick<Tables, "conversations" | "transcripts">;
  readonly #writer: GroupWriter;
  readonly #positions: Map<number, CopyPosition>;

  constructor(parts: {
    readonly tables: Pick<Tables, "conversations" | "database" | "transcripts">;
    readonly writer: GroupWriter;
    readonly positions: Map<number, CopyPosition>;
  }) {
    this.#database = parts.tables.database;
    this.#tables = parts.tables;
    this.#writer = parts.writer;
    this.#positions = parts.positions;
  }

  behind(): readonly number[] {
    this.#writer.commitOpen();
    return this.#database
      .all("SELECT n FROM conversations WHERE copied_entry < last_entry AND is_import = 0")
      .map((row) => numberOf(row, "n"));
  }

  requireOwnership(): void {
    if (this.#writer.ownsStore()) return;
    throw new StoreError("lost-ownership", "Another process has opened the store and writes the copies now.");
  }

  next(n: number, limit: number): CopyTask | undefined {
    this.#writer.commitOpen();
    const row = this.#database.get("SELECT * FROM conversations WHERE n = ?", n);
    if (row === undefined) {
      this.#positions.delete(n);
      return undefined;
    }
    // Its file gets its name at the end of the import.
    if (numberOf(row, "is_import") === 1) return undefined;
    const position = this.#positions.get(n) ?? { entry: numberOf(row, "copied_entry"), bytes: numberOf(row, "copied_bytes") };
    const lastEntry = numberOf(row, "last_entry");
    if (position.entry >= lastEntry) return undefined;
    this.requireOwnership();
    const page = this.#tables.transcripts.after(this.#tables.conversations.read(n), position.entry, limit);
    return {
      sessionId: textOf(row, "session_id"),
      sessionKey: textOf(row, "session_key"),
      agentId: textOf(row, "agent_id"),
      startedAtMs: numberOf(row, "started_at"),
      ...(position.bytes === 0 && this.#headerFacts(n)),
      position,
      entries: page.entries,
      lastEntry: page.last ?? lastEntry,
    };
  }

  #headerFacts(n: number): Pick<CopyTask, "importedAtMs" | "spawnedBy"> {
    const row = this.#database.get(
      "SELECT facts ->> '$.importedAtMs' AS at, facts ->> '$.spawnedBy' AS parent FROM sessions WHERE conversation = ?",
      n,
    );
    return withoutUndefined({
      importedAtMs: typeof row?.["at"] === "number" ? row["at"] : undefined,
      spawnedBy: typeof row?.["parent"] === "string" ? row["parent"] : undefined,
    });
  }

  moveTo(n: number, position: CopyPosition): void {
    this.#positions.set(n, position);
  }

  get waiting(): number {
    return this.#positions.size;
  }

  async savePositions(): Promise<void> {
    if (this.#positions.size > 0) await this.#writer.write(() => undefined);
  }

  toRename(): readonly DeletedCopy[] {
    return this.#database.all("SELECT * FROM deleted_copies WHERE renamed = 0 ORDER BY n").map(toDeletedCopy);
  }

  async renamed(n: number): Promise<void> {
    await this.#writer.write(() => this.#database.run("UPDATE deleted_copies SET renamed = 1 WHERE n = ?", n));
  }

  toRemove(beforeMs: number, limit: number): readonly DeletedCopy[] {
    return this.#database
      .all("SELECT * FROM deleted_copies WHERE deleted_at < ? ORDER BY deleted_at LIMIT ?", beforeMs, limit)
      .map(toDeletedCopy);
  }

  async removed(ns: readonly number[]): Promise<void> {
    if (ns.length === 0) return;
    await this.#writer.write(() => {
      for (const n of ns) this.#database.run("DELETE FROM deleted_copies WHERE n = ?", n);
    });
  }
}

function toDeletedCopy(row: Row): DeletedCopy {
  return {
    n: numberOf(row, "n"),
    sessionId: textOf(row, "session_id"),
    agentId: textOf(row, "agent_id"),
    deletedAtMs: numberOf(row, "deleted_at"),
  };
}

/** Stores the remembered positions inside the transaction that is open. */
export function storePositions(database: Database, positions: ReadonlyMap<number, CopyPosition>): void {
  for (const [n, position] of positions) {
    database.run("UPDATE conversations SET copied_entry = ?, copied_bytes = ? WHERE n = ?", position.entry, position.bytes, n);
  }
}
