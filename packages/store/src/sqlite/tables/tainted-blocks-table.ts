import type { NotesFile } from "../../port/ledger-store.ts";
import { textOf } from "../values/row.ts";
import type { TableContext } from "./table-context.ts";

/** Blocks of notes that tainted turns wrote, by agent, file and digest. */
export class TaintedBlocksTable {
  readonly #context: TableContext;

  constructor(context: TableContext) {
    this.#context = context;
  }

  add({ agentId, file }: NotesFile, digests: readonly string[]): void {
    const { database } = this.#context;
    for (const digest of digests)
      database.run("INSERT INTO tainted_blocks (agent_id, file, digest) VALUES (?, ?, ?) ON CONFLICT DO NOTHING", agentId, file, digest);
  }

  hasAny(): boolean {
    return this.#context.database.get("SELECT 1 FROM tainted_blocks LIMIT 1") !== undefined;
  }

  read({ agentId, file }: NotesFile): ReadonlySet<string> {
    const rows = this.#context.database.all("SELECT digest FROM tainted_blocks WHERE agent_id = ? AND file = ?", agentId, file);
    return new Set(rows.map((row) => textOf(row, "digest")));
  }
}
