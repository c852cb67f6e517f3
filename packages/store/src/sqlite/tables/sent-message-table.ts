import type { Origin } from "@factotum/channel-contract";
import type { OutboxRecord } from "../../port/outbox-records.ts";
import type { Row } from "../values/row.ts";
import { OUTBOX_COLUMNS, toReadable } from "./outbox-row.ts";
import type { TableContext } from "./table-context.ts";

/** The messages that receipts of outgoing rows name. */
export class SentMessageTable {
  readonly #context: TableContext;

  constructor(context: TableContext) {
    this.#context = context;
  }

  /** Scans the kept rows: a receipt has no index. */
  list({ channel, accountId, conversation }: Origin, messageId: string): readonly OutboxRecord[] {
    const { database } = this.#context;
    const read = (rows: readonly Row[]): readonly OutboxRecord[] => rows.map(toReadable).filter((record) => record !== undefined);
    const named = read(
      database.all(
        `SELECT ${OUTBOX_COLUMNS} WHERE outbox.state = 'accepted' AND instr(outbox.result, ?) > 0 ORDER BY outbox.id DESC`,
        JSON.stringify(messageId),
      ),
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
      read(
        database.all(`SELECT ${OUTBOX_COLUMNS} WHERE instr(outbox.payload, ?) > 0 ORDER BY outbox.id DESC`, `"of":${JSON.stringify(id)}`),
      ).filter(({ outbound }) => (outbound.type === "edit" || outbound.type === "edit-card") && outbound.of === id),
    );
    return [...new Map([...edits, ...shown].map((row) => [row.id, row])).values()];
  }
}
