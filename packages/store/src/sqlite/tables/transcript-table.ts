import { withoutUndefined } from "@factotum/agent-contract";
import type { CompactionMessage } from "@factotum/agent-contract";
import type { TranscriptBody, TranscriptEntry } from "../../port/transcript-records.ts";
import { StoreError } from "../../port/store-error.ts";
import type { ContextBounds } from "../../port/transcript-store.ts";
import type { Page } from "../../port/page.ts";
import { checkKey } from "../values/check-key.ts";
import { checksum } from "../values/checksum.ts";
import { numberOf, optionalNumber } from "../values/row.ts";
import type { Row } from "../values/row.ts";
import { decodeId, decodePosition, encodeId } from "../values/sequence-id.ts";
import { isOnPath } from "../values/transcript-path.ts";
import type { TranscriptPath } from "../values/transcript-path.ts";
import { BranchTable, ON_PATH } from "./branch-table.ts";
import { toConversation } from "./conversation-table.ts";
import type { Conversation, ConversationTable } from "./conversation-table.ts";
import type { TableContext } from "./table-context.ts";
import { payloadOf, toEntry } from "./transcript-row.ts";

const COLUMNS = `transcript.id, transcript.conversation, transcript.parent, transcript.turn, transcript.type, transcript.at,
  transcript.payload, transcript.sum, turns.id AS turn_id FROM transcript LEFT JOIN turns ON turns.n = transcript.turn`;

/** A damaged outcome hides nothing. */
const ENDED_SILENTLY = "CASE WHEN json_valid(turns.outcome) THEN coalesce(turns.outcome ->> '$.silent', 0) ELSE 0 END";

/** Characters of payload decoded at once: the event loop runs between two such pieces. */
const MAX_PAGE_CHARS = 1024 * 1024;

/** A page of a context, from its newest entry backwards. */
export interface ContextPage {
  /** Oldest first, without the compaction. */
  readonly entries: readonly TranscriptEntry[];
  /** Of all payloads, without the data of images. */
  readonly textChars: number;
  /** The remaining budget for images. */
  readonly imageChars: number;
  /** Where the next page ends; absent on the last one. */
  readonly before?: number;
}

/** The append-only entries of conversations. */
export class TranscriptTable {
  readonly #context: TableContext;
  readonly #conversations: ConversationTable;
  readonly branches: BranchTable;

  constructor(context: TableContext, conversations: ConversationTable) {
    this.#context = context;
    this.#conversations = conversations;
    this.branches = new BranchTable(context);
  }

  /** Removes some entries of a failed import, and finally the conversation; false once it is gone. */
  removeImport(n: number, limit: number): boolean {
    const { database } = this.#context;
    const removed = database.run(
      `DELETE FROM transcript WHERE id IN (SELECT transcript.id FROM transcript JOIN conversations ON conversations.n = transcript.conversation
       WHERE transcript.conversation = ? AND conversations.is_import = 1 LIMIT ?)`,
      n,
      limit,
    );
    if (removed > 0) return true;
    database.run("DELETE FROM conversations WHERE n = ? AND is_import = 1", n);
    return false;
  }

  /** Appends entries at the end, each the child of the one before it. */
  append(
    conversation: Conversation,
    bodies: readonly TranscriptBody[],
    options: { readonly atMs: number; readonly turn?: { readonly n: number; readonly id: string } },
  ): readonly TranscriptEntry[] {
    if (bodies.length === 0) return [];
    const { database } = this.#context;
    const entries: TranscriptEntry[] = [];
    let parent = conversation.lastEntry;
    for (const body of bodies) {
      const payload = JSON.stringify(payloadOf(body));
      const facts = [conversation.n, parent, options.turn?.n ?? null, body.type, options.atMs] as const;
      const id = database.insert(
        "INSERT INTO transcript (conversation, parent, turn, type, at, payload, sum, key) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        ...facts,
        payload,
        checksum(payload, facts),
        (body.type === "notice" || body.type === "branch") && body.key !== undefined ? checkKey("The key of an entry", body.key) : null,
      );
      if (body.type === "compaction") this.#saveCut(conversation, id, body.message);
      const ids = {
        id: encodeId("e", id),
        ...(parent === 0 ? {} : { parentId: encodeId("e", parent) }),
        sessionId: conversation.sessionId,
      };
      entries.push({ ...ids, ...withoutUndefined({ turnId: options.turn?.id }), timestampMs: options.atMs, ...body });
      parent = id;
    }
    database.run("UPDATE conversations SET last_entry = ? WHERE n = ?", parent, conversation.n);
    this.#context.appended(conversation.n);
    return entries;
  }

  read(id: string): TranscriptEntry | undefined {
    return this.#one("transcript.id = ?", decodeId("e", id) ?? -1);
  }

  /** The notice or the branch with this key, in any conversation. */
  findKeyed(key: string): TranscriptEntry | undefined {
    return this.#one("transcript.key = ?", key);
  }

  #one(where: string, value: string | number): TranscriptEntry | undefined {
    const row = this.#context.database.get(`SELECT ${COLUMNS} WHERE ${where} AND transcript.damaged = 0`, value);
    return row === undefined ? undefined : this.#decodeAll([row], this.#conversations.read(numberOf(row, "conversation")))[0];
  }

  /** The newest page before `before`, oldest first. */
  page(
    sessionId: string,
    options: { readonly before?: string; readonly limit: number; readonly exceptSilent?: boolean },
  ): Page<TranscriptEntry> {
    const before = options.before === undefined ? Number.MAX_SAFE_INTEGER : decodePosition("e", options.before);
    const conversation = this.#conversations.find(sessionId);
    if (conversation === undefined) return { items: [] };
    const part = onPath(this.branches.path(conversation));
    const rows = this.#context.database.all(
      `SELECT ${COLUMNS} WHERE transcript.conversation = ? AND transcript.id < ? AND transcript.damaged = 0
       ${options.exceptSilent === true ? `AND NOT ${ENDED_SILENTLY}` : ""} ${part.sql} ORDER BY transcript.id DESC LIMIT ?`,
      conversation.n,
      before,
      ...part.values,
      options.limit + 1,
    );
    const shown = rows.slice(0, options.limit).toReversed();
    const first = shown[0];
    const items = this.#decodeAll(shown, conversation);
    return rows.length > options.limit && first !== undefined ? { items, cursor: encodeId("e", numberOf(first, "id")) } : { items };
  }

  /** The context when `at` was its last entry: the compaction that applied then, and what it had kept. */
  contextAt(conversation: Conversation, at: string): readonly TranscriptEntry[] {
    const { database } = this.#context;
    const last = decodePosition("e", at);
    const part = onPath(this.branches.path(conversation, last));
    const summary = database.get(
      `SELECT ${COLUMNS} WHERE transcript.conversation = ? AND transcript.type = 'compaction' AND transcript.id <= ? ${part.sql}
       ORDER BY transcript.id DESC LIMIT 1`,
      conversation.n,
      last,
      ...part.values,
    );
    const [compaction] = summary === undefined ? [] : this.#decodeAll([summary], conversation);
    const keptFrom = compaction?.type === "compaction" ? decodeId("e", compaction.message.firstKeptEntryId) : undefined;
    const kept = database.all(
      `SELECT ${COLUMNS} WHERE transcript.conversation = ? AND transcript.id BETWEEN ? AND ? AND transcript.type IN ('message', 'replacement')
       AND transcript.damaged = 0 ${part.sql} ORDER BY transcript.id`,
      conversation.n,
      keptFrom ?? 0,
      last,
      ...part.values,
    );
    return [...(compaction === undefined ? [] : [compaction]), ...this.#decodeAll(kept, conversation)];
  }

  /** The last compaction, then everything from its first kept entry on; found by index, independent of the history's length. */
  context(sessionId: string): readonly TranscriptEntry[] {
    const { database } = this.#context;
    const row = database.get("SELECT * FROM conversations WHERE session_id = ?", sessionId);
    if (row === undefined) return [];
    const conversation = toConversation(row);
    const path = this.branches.path(conversation);
    const part = onPath(path);
    const { compaction, keptFrom } = this.branches.start(row, path);
    const summary =
      compaction === undefined
        ? undefined
        : database.get(`SELECT ${COLUMNS} WHERE transcript.id = ? AND transcript.damaged = 0`, compaction);
    const kept = database.all(
      `SELECT ${COLUMNS} WHERE transcript.conversation = ? AND transcript.id >= ? AND transcript.type IN ('message', 'replacement') AND transcript.damaged = 0
       ${part.sql} ORDER BY transcript.id`,
      conversation.n,
      keptFrom,
      ...part.values,
    );
    return this.#decodeAll(summary === undefined ? kept : [summary, ...kept], conversation);
  }

  /**
   * The same context in pages, the newest entries first. `before`: where the previous page began. An image is kept if it fits into `images.maxChars` together
   * with all newer ones.
   */
  contextPage(sessionId: string, images: ContextBounds["images"], before: number = Number.MAX_SAFE_INTEGER): ContextPage {
    const { database } = this.#context;
    const row = database.get("SELECT * FROM conversations WHERE session_id = ?", sessionId);
    if (row === undefined) return { entries: [], textChars: 0, imageChars: images.maxChars };
    const conversation = toConversation(row);
    const path = this.branches.path(conversation);
    const part = onPath(path);
    const rows = database.each(
      `SELECT ${COLUMNS} WHERE transcript.conversation = ? AND transcript.id >= ? AND transcript.id < ?
       AND transcript.type IN ('message', 'replacement') AND transcript.damaged = 0 ${part.sql} ORDER BY transcript.id DESC`,
      conversation.n,
      this.branches.start(row, path).keptFrom,
      before,
      ...part.values,
    );
    const newestFirst: TranscriptEntry[] = [];
    let [chars, textChars, imageChars] = [0, 0, images.maxChars];
    for (const found of rows) {
      // A damaged payload may have any content.
      const size = String(found["payload"]).length;
      const [entry] = this.#decodeAll([found], conversation);
      const ofImages = entry === undefined ? 0 : imageCharsOf(entry);
      // The first image that does not fit excludes all older ones: which images are kept does not depend on the sizes of older ones.
      const hasPlace = ofImages <= imageChars;
      imageChars = hasPlace ? imageChars - ofImages : 0;
      if (entry !== undefined) newestFirst.push(hasPlace ? entry : withoutImages(entry, images.text));
      chars += size;
      textChars += size - ofImages;
      if (chars >= MAX_PAGE_CHARS) return { entries: newestFirst.toReversed(), textChars, imageChars, before: numberOf(found, "id") };
    }
    return { entries: newestFirst.toReversed(), textChars, imageChars };
  }

  /** The compaction that a context begins with, and the number of its entries before `before`; counted by index. */
  contextStart(sessionId: string, before: number): { readonly compaction: readonly TranscriptEntry[]; readonly omitted: number } {
    const { database } = this.#context;
    const row = database.get("SELECT * FROM conversations WHERE session_id = ?", sessionId);
    if (row === undefined) return { compaction: [], omitted: 0 };
    const conversation = toConversation(row);
    const path = this.branches.path(conversation);
    const part = onPath(path);
    const { compaction, keptFrom } = this.branches.start(row, path);
    const summary =
      compaction === undefined
        ? undefined
        : database.get(`SELECT ${COLUMNS} WHERE transcript.id = ? AND transcript.damaged = 0`, compaction);
    const count = database.get(
      `SELECT count(*) AS omitted FROM transcript WHERE conversation = ? AND id >= ? AND id < ? ${part.sql}`,
      conversation.n,
      keptFrom,
      before,
      ...part.values,
    );
    return {
      compaction: summary === undefined ? [] : this.#decodeAll([summary], conversation),
      omitted: count === undefined ? 0 : numberOf(count, "omitted"),
    };
  }

  /** Readable entries after `after`, oldest first, and the last row that was scanned. A page of large entries is shorter. */
  after(
    conversation: Conversation,
    after: number,
    limit: number,
  ): { readonly entries: readonly TranscriptEntry[]; readonly last?: number } {
    const rows: Row[] = [];
    let chars = 0;
    const found = this.#context.database.each(
      `SELECT ${COLUMNS} WHERE transcript.conversation = ? AND transcript.id > ? AND transcript.damaged = 0
       ORDER BY transcript.id LIMIT ?`,
      conversation.n,
      after,
      limit,
    );
    for (const row of found) {
      rows.push(row);
      // A damaged payload may have any content.
      chars += String(row["payload"]).length;
      if (chars >= MAX_PAGE_CHARS) break;
    }
    const entries = this.#decodeAll(rows, conversation);
    const last = rows.at(-1);
    return last === undefined ? { entries } : { entries, last: numberOf(last, "id") };
  }

  /** Removes a conversation and its entries. Remove its turns and prompts first. */
  remove(conversation: Conversation): void {
    this.#context.database.run("DELETE FROM transcript WHERE conversation = ?", conversation.n);
    this.#context.database.run("DELETE FROM conversations WHERE n = ?", conversation.n);
  }

  #saveCut(conversation: Conversation, id: number, message: CompactionMessage): void {
    const { database } = this.#context;
    const kept = decodeId("e", message.firstKeptEntryId) ?? -1;
    const known = database.get("SELECT 1 AS found FROM transcript WHERE id = ? AND conversation = ?", kept, conversation.n);
    const path = this.branches.path(conversation);
    if (known === undefined || (path !== undefined && !isOnPath(path, kept))) {
      throw new StoreError(
        "not-found",
        `The first kept entry ${message.firstKeptEntryId} is not in the session ${conversation.sessionId}.`,
      );
    }
    database.run("UPDATE conversations SET compaction_entry = ?, kept_from = ? WHERE n = ?", id, kept, conversation.n);
  }

  #decodeAll(rows: readonly Row[], conversation: Conversation): readonly TranscriptEntry[] {
    const entries: TranscriptEntry[] = [];
    for (const row of rows) {
      try {
        entries.push(toEntry(row, conversation));
      } catch (error) {
        if (!StoreError.isInstance(error)) throw error;
        this.#exclude(row, conversation);
      }
    }
    return entries;
  }

  #exclude(row: Row, { sessionKey }: Conversation): void {
    const id = numberOf(row, "id");
    this.#context.quarantine({ type: "entry", id: encodeId("e", id), sessionKey, turn: optionalNumber(row, "turn") }, () => {
      this.#context.database.run("UPDATE transcript SET damaged = 1, key = NULL WHERE id = ?", id);
    });
  }
}

/** The condition of a statement for the entries of a path, with its value; empty for all of a conversation. */
function onPath(path: TranscriptPath | undefined): { readonly sql: string; readonly values: readonly string[] } {
  return path === undefined ? { sql: "", values: [] } : { sql: `AND ${ON_PATH}`, values: [JSON.stringify(path)] };
}

function imageCharsOf(entry: TranscriptEntry): number {
  if (entry.type !== "message") return 0;
  return entry.message.content.reduce((sum, block) => sum + (block.type === "image" ? block.data.length : 0), 0);
}

function withoutImages(entry: TranscriptEntry, text: string): TranscriptEntry {
  if (entry.type !== "message" || entry.message.role === "assistant") return entry;
  const content = entry.message.content.map((block) => (block.type === "image" ? ({ type: "text", text } as const) : block));
  return { ...entry, message: { ...entry.message, content } };
}
