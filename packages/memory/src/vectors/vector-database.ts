import { chmodSync, existsSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync, type SQLOutputValue } from "node:sqlite";
import { removeDatabase } from "../database/index-database.ts";

/** Changes with the tables: a file of another version is replaced by an empty one. */
const VERSION = 1;

const SCHEMA = `
CREATE TABLE vectors (id INTEGER PRIMARY KEY, model TEXT NOT NULL, text_hash TEXT NOT NULL, dimensions INTEGER NOT NULL, numbers BLOB NOT NULL,
  UNIQUE (model, text_hash)) STRICT;
PRAGMA user_version = ${VERSION};`;

/** The vectors of a passage's statements, each of length 1, one after the other. None for a passage that the model refuses. */
export interface PassageVectors {
  /** Of the passage's text. */
  readonly textHash: string;
  readonly dimensions: number;
  readonly numbers: Float32Array;
}

/** The vectors of passages by the hash of the text and the model: they outlive the index, so that a text is not embedded twice. */
export class VectorDatabase implements Disposable {
  readonly #database: DatabaseSync;

  /** A file that cannot be used is replaced by an empty one. */
  constructor(file: string) {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    try {
      this.#database = open(file);
    } catch {
      removeDatabase(file);
      this.#database = open(file);
    }
    chmodSync(file, 0o600);
  }

  /** Vectors of a model in the order of their ids, from the one after `afterId` on. */
  vectors(
    model: string,
    { afterId, count }: { readonly afterId: number; readonly count: number },
  ): readonly (PassageVectors & { readonly id: number })[] {
    return this.#database
      .prepare("SELECT id, text_hash, dimensions, numbers FROM vectors WHERE model = ? AND id > ? ORDER BY id LIMIT ?")
      .all(model, afterId, count)
      .map((row) => ({
        id: Number(row["id"]),
        textHash: String(row["text_hash"]),
        dimensions: Number(row["dimensions"]),
        numbers: toNumbers(row["numbers"]),
      }));
  }

  put(model: string, passages: readonly PassageVectors[]): void {
    this.#transaction(() => {
      const add = this.#database.prepare("INSERT OR REPLACE INTO vectors (model, text_hash, dimensions, numbers) VALUES (?, ?, ?, ?)");
      for (const { textHash, dimensions, numbers } of passages)
        add.run(model, textHash, dimensions, new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength));
    });
  }

  /** The texts that have a vector of the model, and how many it refuses. */
  inventory(model: string): { readonly textHashes: readonly string[]; readonly refused: number } {
    const rows = this.#database.prepare("SELECT text_hash, length(numbers) AS bytes FROM vectors WHERE model = ?").all(model);
    const textHashes = rows.filter((row) => Number(row["bytes"]) > 0).map((row) => String(row["text_hash"]));
    return { textHashes, refused: rows.length - textHashes.length };
  }

  /** Removes the vectors of texts that are in no passage, of every model. */
  keepOnly(textHashes: ReadonlySet<string>): void {
    const rows = this.#database.prepare("SELECT DISTINCT text_hash FROM vectors").all();
    const gone = rows.map((row) => String(row["text_hash"])).filter((textHash) => !textHashes.has(textHash));
    if (gone.length === 0) return;
    this.#transaction(() => {
      this.#database.prepare("DELETE FROM vectors WHERE text_hash IN (SELECT value FROM json_each(?))").run(JSON.stringify(gone));
    });
  }

  /** Removes the vectors of other models. */
  keepModel(model: string): void {
    this.#database.prepare("DELETE FROM vectors WHERE model <> ?").run(model);
  }

  /** Removes the vectors of a model. */
  removeModel(model: string): void {
    this.#database.prepare("DELETE FROM vectors WHERE model = ?").run(model);
  }

  [Symbol.dispose](): void {
    if (this.#database.isOpen) this.#database.close();
  }

  #transaction(work: () => void): void {
    this.#database.exec("BEGIN IMMEDIATE");
    try {
      work();
      this.#database.exec("COMMIT");
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec("ROLLBACK");
      throw error;
    }
  }
}

/** Copied: a view of 32-bit numbers has to begin at a multiple of four bytes. */
function toNumbers(bytes: SQLOutputValue | undefined): Float32Array {
  return bytes instanceof Uint8Array ? new Float32Array(bytes.slice().buffer) : new Float32Array();
}

/** Whether there are vectors at all. */
export function hasVectors(file: string): boolean {
  return existsSync(file);
}

function open(file: string): DatabaseSync {
  const database = new DatabaseSync(file, { timeout: 1_000 });
  try {
    // What is deleted is overwritten: a vector tells much of its text.
    database.exec("PRAGMA journal_mode = DELETE; PRAGMA synchronous = NORMAL; PRAGMA secure_delete = ON;");
    const version = Number(database.prepare("PRAGMA user_version").get()?.["user_version"]);
    const isEmpty = database.prepare("SELECT 1 FROM sqlite_schema LIMIT 1").get() === undefined;
    if (isEmpty) database.exec(`BEGIN; ${SCHEMA} COMMIT;`);
    else if (version !== VERSION) throw new Error(`the vectors have version ${version}`);
    database.prepare("SELECT count(*) FROM vectors").get();
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}
