import type { NoteEntrySource } from "@factotum/agent-contract";
import type { NotesFile } from "../../port/ledger-store.ts";
import { numberOf, textOf } from "../values/row.ts";
import type { TableContext } from "./table-context.ts";

/** Rows of one file. `MEMORY.md` has at most some hundred entries at a time. */
const MAX_ROWS = 2_000;

/** Who wrote the entries of notes, by agent, file and digest. */
export class NoteEntriesTable {
  readonly #context: TableContext;

  constructor(context: TableContext) {
    this.#context = context;
  }

  add({ agentId, file }: NotesFile, entries: readonly NoteEntrySource[], present: readonly string[]): void {
    const { database } = this.#context;
    for (const { digest, origin, kind, sessionKey, sessionId, turnId, atMs } of entries)
      database.run(
        `INSERT INTO note_entries (agent_id, file, digest, origin, kind, session_key, session_id, turn_id, at)
           VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
        agentId,
        file,
        digest,
        origin,
        kind,
        sessionKey,
        sessionId,
        turnId,
        atMs,
      );
    database.run(
      `DELETE FROM note_entries WHERE agent_id = ?1 AND file = ?2 AND digest IN (
         SELECT digest FROM note_entries WHERE agent_id = ?1 AND file = ?2
           ORDER BY digest IN (SELECT value FROM json_each(?3)) DESC, at DESC LIMIT -1 OFFSET ${MAX_ROWS})`,
      agentId,
      file,
      JSON.stringify(present),
    );
  }

  read({ agentId, file }: NotesFile): readonly NoteEntrySource[] {
    const rows = this.#context.database.all(
      "SELECT * FROM note_entries WHERE agent_id = ? AND file = ? ORDER BY at, digest",
      agentId,
      file,
    );
    return rows.map((row) => ({
      digest: textOf(row, "digest"),
      origin: textOf(row, "origin") as NoteEntrySource["origin"],
      kind: textOf(row, "kind") as NoteEntrySource["kind"],
      sessionKey: textOf(row, "session_key"),
      sessionId: textOf(row, "session_id"),
      turnId: textOf(row, "turn_id"),
      atMs: numberOf(row, "at"),
    }));
  }
}
