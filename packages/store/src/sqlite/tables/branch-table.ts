import { MAX_BRANCHES } from "../../port/transcript-store.ts";
import type { EntryVersions } from "../../port/transcript-store.ts";
import { StoreError } from "../../port/store-error.ts";
import { numberOf, optionalNumber } from "../values/row.ts";
import type { Row } from "../values/row.ts";
import { decodeId, encodeId } from "../values/sequence-id.ts";
import { forksOf, isOnPath, newestEndOf, pathAt } from "../values/transcript-path.ts";
import type { BranchPoint, TranscriptPath } from "../values/transcript-path.ts";
import { toConversation } from "./conversation-table.ts";
import type { Conversation } from "./conversation-table.ts";
import type { TableContext } from "./table-context.ts";
import { toEntry } from "./transcript-row.ts";

/** Part of a statement: only messages of people, also those that the model was not given, such as one that was stopped before its turn. */
export const IS_PERSONS =
  "damaged = 0 AND (type = 'ui-message' OR (type = 'message' AND json_valid(payload) AND payload ->> '$.role' = 'user'))";

/** Part of a statement: only entries of the path. */
export const ON_PATH = `EXISTS (SELECT 1 FROM json_each(?) AS part WHERE transcript.id BETWEEN part.value ->> 0 AND part.value ->> 1)`;

/** Where the context of a conversation begins. */
export interface ContextStart {
  /** The number of its compaction. */
  readonly compaction: number | undefined;
  readonly keptFrom: number;
}

/** The branches of transcripts: entries that say which earlier entry the conversation continues. */
export class BranchTable {
  readonly #context: TableContext;

  constructor(context: TableContext) {
    this.#context = context;
  }

  /** The branches of a conversation, in order. A damaged one counts as if it had not been made. */
  points(conversation: Conversation): readonly BranchPoint[] {
    const rows = this.#context.database.all(
      `SELECT id, conversation, parent, turn, type, at, payload, sum, NULL AS turn_id FROM transcript
       WHERE conversation = ? AND type = 'branch' AND damaged = 0 ORDER BY id`,
      conversation.n,
    );
    return rows.flatMap((row) => this.#pointOf(row, conversation));
  }

  /** The path that a conversation consists of, or consisted of when `at` was its last entry; `undefined` for a conversation without branches: all of it. */
  path(conversation: Conversation, at?: number): TranscriptPath | undefined {
    const points = this.points(conversation);
    return points.length === 0 ? undefined : pathAt(points, at);
  }

  /** Where the context begins: at the newest compaction of the path. */
  start(row: Row, path: TranscriptPath | undefined): ContextStart {
    if (path === undefined) return { compaction: optionalNumber(row, "compaction_entry"), keptFrom: optionalNumber(row, "kept_from") ?? 0 };
    const conversation = toConversation(row);
    const found = this.#context.database.get(
      `SELECT id, conversation, parent, turn, type, at, payload, sum, NULL AS turn_id FROM transcript
       WHERE conversation = ? AND type = 'compaction' AND damaged = 0 AND ${ON_PATH} ORDER BY id DESC LIMIT 1`,
      conversation.n,
      JSON.stringify(path),
    );
    if (found === undefined) return { compaction: undefined, keptFrom: 0 };
    const entry = toEntry(found, conversation);
    const keptFrom = entry.type === "compaction" ? decodeId("e", entry.message.firstKeptEntryId) : undefined;
    return { compaction: numberOf(found, "id"), keptFrom: keptFrom ?? 0 };
  }

  /** The entry that a branch which replaces `before` continues; 0 for the start. Throws if that is no entry of the conversation, or if there are too many branches. */
  placeBefore(conversation: Conversation, before: string): number {
    const points = this.#checked(conversation, before);
    const entry = decodeId("e", before) ?? 0;
    const path = pathAt(points, newestEndOf(points, entry) ?? entry);
    const from = path.findLast(([first]) => first <= entry)?.[0] ?? 1;
    // The first message of a branch is a version of the one that the branch has replaced, even if a notice came between.
    const point = points.find(({ id }) => id === from - 1);
    if (point !== undefined && this.#firstOfPerson(conversation, [point.id, entry + 1]) === entry) return point.after;
    return this.#last(conversation, path, entry - 1);
  }

  /** The entry at which the newest branch with this entry ends; `undefined` if that is the current one. */
  endOf(conversation: Conversation, entryId: string): number | undefined {
    const points = this.#checked(conversation, entryId);
    const entry = decodeId("e", entryId) ?? 0;
    if (isOnPath(pathAt(points), entry)) return undefined;
    const end = newestEndOf(points, entry) ?? entry;
    return this.#last(conversation, pathAt(points, end), end);
  }

  /** The first messages of people of all branches that continue one entry, for each such entry. */
  versions(conversation: Conversation): readonly EntryVersions[] {
    const points = this.points(conversation);
    const path = pathAt(points);
    return forksOf(points).flatMap((branches) => {
      const first = branches.flatMap((range) => this.#firstOfPerson(conversation, range) ?? []);
      if (first.length < 2) return [];
      const shown = first.find((id) => isOnPath(path, id));
      return [{ entryIds: first.map((id) => encodeId("e", id)), ...(shown === undefined ? {} : { shownId: encodeId("e", shown) }) }];
    });
  }

  #checked(conversation: Conversation, entryId: string): readonly BranchPoint[] {
    const found = this.#context.database.get(
      "SELECT 1 AS found FROM transcript WHERE id = ? AND conversation = ? AND type <> 'branch'",
      decodeId("e", entryId) ?? -1,
      conversation.n,
    );
    if (found === undefined) throw new StoreError("not-found", `The conversation has no entry ${entryId}.`);
    const points = this.points(conversation);
    if (points.length >= MAX_BRANCHES)
      throw new StoreError("invalid", `The conversation has ${MAX_BRANCHES} branches. Begin a new one with /new.`);
    return points;
  }

  /** The last entry of the path up to `end`; 0 without one. */
  #last(conversation: Conversation, path: TranscriptPath, end: number): number {
    const row = this.#context.database.get(
      `SELECT coalesce(max(id), 0) AS last FROM transcript WHERE conversation = ? AND id <= ? AND type <> 'branch' AND ${ON_PATH}`,
      conversation.n,
      end,
      JSON.stringify(path),
    );
    return row === undefined ? 0 : numberOf(row, "last");
  }

  #firstOfPerson(conversation: Conversation, [after, before]: readonly [after: number, before: number]): number | undefined {
    const row = this.#context.database.get(
      `SELECT id FROM transcript WHERE conversation = ? AND id > ? AND id < ? AND ${IS_PERSONS} ORDER BY id LIMIT 1`,
      conversation.n,
      after,
      before,
    );
    return row === undefined ? undefined : numberOf(row, "id");
  }

  #pointOf(row: Row, conversation: Conversation): readonly BranchPoint[] {
    const id = numberOf(row, "id");
    try {
      const entry = toEntry(row, conversation);
      if (entry.type !== "branch") return [];
      return [{ id, after: entry.after === undefined ? 0 : (decodeId("e", entry.after) ?? 0) }];
    } catch (error) {
      if (!StoreError.isInstance(error)) throw error;
      const { sessionKey } = conversation;
      this.#context.quarantine({ type: "entry", id: encodeId("e", id), sessionKey, turn: optionalNumber(row, "turn") }, () => {
        this.#context.database.run("UPDATE transcript SET damaged = 1, key = NULL WHERE id = ?", id);
      });
      return [];
    }
  }
}
