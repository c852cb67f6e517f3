import { existsSync } from "node:fs";
import type { DatabaseSync, SQLOutputValue } from "node:sqlite";
import { inTransaction, openDerivedDatabase, type DerivedSchema } from "../database/derived-database.ts";

const SCHEMA: DerivedSchema = {
  version: 1,
  table: "vectors",
  sql: `
CREATE TABLE vectors (id INTEGER PRIMARY KEY, model TEXT NOT NULL, text_hash TEXT NOT NULL, dimensions INTEGER NOT NULL, numbers BLOB NOT NULL,
  UNIQUE (model, text_hash)) STRICT;`,
};

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
    this.#database = openDerivedDatabase(file, SCHEMA);
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
    inTransaction(this.#database, () => {
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
    inTransaction(this.#database, () => {
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
}

/** Copied: a view of 32-bit numbers has to begin at a multiple of four bytes. */
function toNumbers(bytes: SQLOutputValue | undefined): Float32Array {
  return bytes instanceof Uint8Array ? new Float32Array(bytes.slice().buffer) : new Float32Array();
}

/** Whether there are vectors at all. */
export function hasVectors(file: string): boolean {
  return existsSync(file);
}
