import type { MessageId, Origin } from "@factotum/channel-contract";
import type { OutboxRecord } from "../../port/outbox-records.ts";
import type { Row } from "../values/row.ts";
import { decodeId } from "../values/sequence-id.ts";
import { OUTBOX_COLUMNS, toReadable } from "./outbox-row.ts";
import type { TableContext } from "./table-context.ts";

/** The messages that receipts of outgoing rows name: an index, whose rows are checked against the receipts and go with them. */
export class SentMessageTable {
  readonly #context: TableContext;

  constructor(context: TableContext) {
    this.#context = context;
  }

  add(outboundId: string, messageIds: readonly MessageId[]): void {
    for (const id of messageIds)
      this.#context.database.run(
        "INSERT OR IGNORE INTO sent_messages (outbound, message_id) VALUES (?, ?)",
        decodeId("o", outboundId) ?? -1,
        id,
      );
  }

  list({ channel, accountId, conversation }: Origin, messageId: string): readonly OutboxRecord[] {
    const named = this.#read(
      "outbox.id IN (SELECT outbound FROM sent_messages WHERE message_id = ?) AND outbox.state = 'accepted'",
      messageId,
    ).filter(
      ({ state, target }) =>
        state.type === "accepted" &&
        state.messageIds.some((id) => id === messageId) &&
        target.channel === channel &&
        target.accountId === accountId,
    );
    const here = named.filter(({ target }) => target.conversation.id === conversation.id);
    const shown = here.length > 0 ? here : named;
    const edits = shown.flatMap(({ id }) =>
      this.#read("outbox.edit_of = ?", id).filter(
        ({ outbound }) => (outbound.type === "edit" || outbound.type === "edit-card") && outbound.of === id,
      ),
    );
    return [...new Map([...edits, ...shown].map((row) => [row.id, row])).values()];
  }

  #read(where: string, value: string): readonly OutboxRecord[] {
    const rows: readonly Row[] = this.#context.database.all(`SELECT ${OUTBOX_COLUMNS} WHERE ${where} ORDER BY outbox.id DESC`, value);
    return rows.map(toReadable).filter((record) => record !== undefined);
  }
}
