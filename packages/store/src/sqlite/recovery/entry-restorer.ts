import type { TranscriptBody } from "../../port/transcript-records.ts";
import type { Database } from "../connection/database.ts";
import { payloadOf } from "../tables/transcript-row.ts";
import type { Conversation } from "../tables/conversation-table.ts";
import { checksum } from "../values/checksum.ts";
import { numberOf } from "../values/row.ts";
import { decodeId, encodeId } from "../values/sequence-id.ts";

/** Inserts the missing entries of one plain file into the transcript of its conversation, in the order of the file. */
export class EntryRestorer {
  readonly #database: Database;
  readonly #conversation: Conversation;
  /** Entries whose id is taken by another conversation: their number in the file, and their number here. */
  readonly #renumbered: Map<number, number> = new Map();
  /** The parent of the next entry. */
  #last: number;
  added = 0;

  /** `after`: the parent of the file's first entry; 0 if the file is read from its start. */
  constructor(database: Database, conversation: Conversation, after: number) {
    this.#database = database;
    this.#conversation = conversation;
    this.#last = after;
  }

  add(wanted: number, body: TranscriptBody, atMs: number): void {
    const { n } = this.#conversation;
    const existing = this.#database.get("SELECT conversation FROM transcript WHERE id = ?", wanted);
    if (existing !== undefined && numberOf(existing, "conversation") === n) {
      this.#last = wanted;
      return;
    }
    // An id is kept if it is free and in the order of the file.
    const id = existing === undefined && wanted > this.#last ? wanted : this.#highest() + 1;
    if (id !== wanted) this.#renumbered.set(wanted, id);
    const payload = JSON.stringify(payloadOf(this.#withKnownIds(body)));
    const facts = [n, this.#last, null, body.type, atMs] as const;
    this.#database.run(
      "INSERT INTO transcript (id, conversation, parent, turn, type, at, payload, sum) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
      id,
      ...facts,
      payload,
      checksum(payload, facts),
    );
    this.#last = id;
    this.added += 1;
  }

  /** Points the conversation to its newest entry and its newest compaction. */
  finish(): void {
    if (this.added === 0) return;
    const { n } = this.#conversation;
    this.#database.run("UPDATE conversations SET last_entry = (SELECT max(id) FROM transcript WHERE conversation = ?) WHERE n = ?", n, n);
    const compaction = this.#database.get(
      "SELECT id, payload FROM transcript WHERE conversation = ? AND type = 'compaction' AND damaged = 0 ORDER BY id DESC LIMIT 1",
      n,
    );
    if (compaction === undefined) return;
    const { firstKeptEntryId } = JSON.parse(String(compaction["payload"])) as { readonly firstKeptEntryId: string };
    this.#database.run(
      "UPDATE conversations SET compaction_entry = ?, kept_from = ? WHERE n = ?",
      numberOf(compaction, "id"),
      decodeId("e", firstKeptEntryId) ?? 0,
      n,
    );
  }

  #highest(): number {
    return numberOf(
      this.#database.get("SELECT coalesce(max(seq), 0) AS seq FROM sqlite_sequence WHERE name = 'transcript'") ?? { seq: 0 },
      "seq",
    );
  }

  #withKnownIds(body: TranscriptBody): TranscriptBody {
    switch (body.type) {
      case "message":
      case "ui-message":
        return body;
      // Its key refers to a row of the lost database.
      case "notice": {
        const { key: _key, ...kept } = body;
        return kept;
      }
      case "branch":
        return { type: "branch", ...(body.after === undefined ? {} : { after: this.#idOf(body.after) }) };
      case "replacement":
        return { ...body, messages: body.messages.map((one) => ({ ...one, entryId: this.#idOf(one.entryId) })) };
      case "compaction":
        return { type: "compaction", message: { ...body.message, firstKeptEntryId: this.#idOf(body.message.firstKeptEntryId) } };
    }
  }

  #idOf(entryId: string): string {
    const renumbered = this.#renumbered.get(decodeId("e", entryId) ?? 0);
    return renumbered === undefined ? entryId : encodeId("e", renumbered);
  }
}
