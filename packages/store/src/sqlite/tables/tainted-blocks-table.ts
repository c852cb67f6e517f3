import { textOf } from "../values/row.ts";
import type { TableContext } from "./table-context.ts";

/** Blocks of notes that tainted turns wrote, by file and digest. */
export class TaintedBlocksTable {
  readonly #context: TableContext;

  constructor(context: TableContext) {
    this.#context = context;
  }

  add(file: string, digests: readonly string[]): void {
    for (const digest of digests)
      this.#context.database.run("INSERT INTO tainted_blocks (file, digest) VALUES (?, ?) ON CONFLICT DO NOTHING", file, digest);
  }

  read(file: string): ReadonlySet<string> {
    const rows = this.#context.database.all("SELECT digest FROM tainted_blocks WHERE file = ?", file);
    return new Set(rows.map((row) => textOf(row, "digest")));
  }
}
