import { StoreError } from "../../port/store-error.ts";
import type { TranscriptEntry } from "../../port/transcript-records.ts";
import type { EntryScan, FoundEntry } from "../../port/transcript-store.ts";
import { numberOf, optionalNumber, textOf } from "../values/row.ts";
import type { Row } from "../values/row.ts";
import { decodePosition, encodeId } from "../values/sequence-id.ts";
import { isOnPath } from "../values/transcript-path.ts";
import type { TranscriptPath } from "../values/transcript-path.ts";
import type { BranchTable } from "./branch-table.ts";
import { toConversation } from "./conversation-table.ts";
import type { TableContext } from "./table-context.ts";
import { toEntry } from "./transcript-row.ts";

/** A damaged outcome hides nothing. */
const ENDED_SILENTLY = "CASE WHEN json_valid(turns.outcome) THEN coalesce(turns.outcome ->> '$.silent', 0) ELSE 0 END";

/**
 * Finds entries by what their stored form contains. There is no index of texts: a scan reads a bounded number of the newest entries, and the caller continues.
 */
export class EntrySearch {
  readonly #context: TableContext;
  readonly #branches: BranchTable;

  constructor(context: TableContext, branches: BranchTable) {
    this.#context = context;
    this.#branches = branches;
  }

  /** Entries of all conversations with every word, newest first, among the `scan` entries before `before`. */
  scan({ words, before, scan }: Parameters<EntryScan>[0]): Awaited<ReturnType<EntryScan>> {
    const { database } = this.#context;
    const end = before === undefined ? Number.MAX_SAFE_INTEGER : decodePosition("e", before);
    const window = database.get(
      "SELECT min(id) AS first, count(*) AS size, min(at) AS at FROM (SELECT id, at FROM transcript WHERE id < ? ORDER BY id DESC LIMIT ?)",
      end,
      scan,
    );
    const first = window === undefined ? undefined : optionalNumber(window, "first");
    if (window === undefined || first === undefined) return { found: [] };
    const rows = database.all(
      `SELECT transcript.id, transcript.conversation, transcript.parent, transcript.turn, transcript.type, transcript.at, transcript.payload,
         transcript.sum, turns.id AS turn_id, conversations.*, transcript.conversation AS conversation
       FROM transcript JOIN conversations ON conversations.n = transcript.conversation LEFT JOIN turns ON turns.n = transcript.turn
       WHERE transcript.id >= ? AND transcript.id < ? AND transcript.damaged = 0 AND transcript.type IN ('message', 'ui-message')
         AND conversations.is_import = 0 ${words.map(() => "AND transcript.payload LIKE ? ESCAPE '\\'").join(" ")} AND NOT ${ENDED_SILENTLY}
       ORDER BY transcript.id DESC`,
      first,
      end,
      ...words.map(patternOf),
    );
    const paths = new Map<number, TranscriptPath | undefined>();
    const found = rows.flatMap((row) => this.#decode(row, paths) ?? []);
    return { found, reachedMs: numberOf(window, "at"), ...(numberOf(window, "size") < scan ? {} : { before: encodeId("e", first) }) };
  }

  /** `paths`: those of the conversations in which something was found before. */
  #decode(row: Row, paths: Map<number, TranscriptPath | undefined>): FoundEntry | undefined {
    const conversation = toConversation(row);
    try {
      const entry: TranscriptEntry = toEntry(row, conversation);
      if (!paths.has(conversation.n)) paths.set(conversation.n, this.#branches.path(conversation));
      const path = paths.get(conversation.n);
      const isHidden = path !== undefined && !isOnPath(path, numberOf(row, "id"));
      return { entry, sessionKey: conversation.sessionKey, agentId: textOf(row, "agent_id"), isHidden };
    } catch (error) {
      if (!StoreError.isInstance(error)) throw error;
      // The reader of its conversation excludes and reports it.
      return undefined;
    }
  }
}

/**
 * A word as JSON has it. `LIKE` ignores the case of ASCII letters alone, so any other letter with two cases matches every character; the caller compares again.
 */
function patternOf(word: string): string {
  const written = JSON.stringify(word)
    .slice(1, -1)
    .replaceAll(/[\\%_]/g, String.raw`\$&`);
  const folded = written.replaceAll(/\P{ASCII}/gu, (char) => (char.toLowerCase() === char.toUpperCase() ? char : "%"));
  return `%${folded}%`;
}
