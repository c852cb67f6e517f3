import type { SendReceipt } from "@factotum/channel-contract";
import { withoutUndefined } from "@factotum/agent-contract";
import type { DeadLetter, OutboxRecord, OutboxState, OutboxTransition } from "../../port/outbox-records.ts";
import { rejectionReason } from "../../port/rejection-reason.ts";
import { StoreError } from "../../port/store-error.ts";
import type { NewOutbound } from "../../port/outbox-store.ts";
import { checkKey } from "../values/check-key.ts";
import { checksum } from "../values/checksum.ts";
import { numberOf, optionalNumber, textOf } from "../values/row.ts";
import type { Row } from "../values/row.ts";
import { decodeId, decodePosition, encodeId } from "../values/sequence-id.ts";
import { OUTBOX_COLUMNS, resultOf, toReadable, toRecord, type OutboxPayload } from "./outbox-row.ts";
import type { SentMessageTable } from "./sent-message-table.ts";
import type { TableContext } from "./table-context.ts";

interface AddOptions {
  readonly turn?: number;
  readonly atMs: number;
  readonly replaces?: readonly string[];
  readonly inputIds?: readonly string[] | undefined;
}

/** A row that was given up. */
export type OutboundLetter = Extract<DeadLetter, { type: "outbound" }>;

/** Rows that a search by turn reads at most: there is no index for it. */
const SEARCHED_ROWS = 10_000;

/** One row per part that is sent. The checksum covers the address, so that a damaged row cannot reach another chat. */
export class OutboxTable {
  readonly #context: TableContext;
  readonly #sentMessages: SentMessageTable;

  constructor(context: TableContext, sentMessages: SentMessageTable) {
    this.#context = context;
    this.#sentMessages = sentMessages;
  }

  /** Adds rows in order; if the idempotency key of a row is taken, the existing row is returned for it. */
  add(rows: readonly NewOutbound[], options: AddOptions): readonly OutboxRecord[] {
    return rows.map((row) => this.#addOne(row, options));
  }

  /** Throws `damaged` for a damaged row, which must not be sent. */
  read(id: string): OutboxRecord | undefined {
    return this.#readOne("outbox.id = ?", decodeId("o", id) ?? -1);
  }

  find(idempotencyKey: string): OutboxRecord | undefined {
    return this.#readOne("outbox.idempotency_key = ?", idempotencyKey);
  }

  #readOne(where: string, value: string | number): OutboxRecord | undefined {
    const row = this.#context.database.get(`SELECT ${OUTBOX_COLUMNS} WHERE ${where}`, value);
    if (row === undefined) return undefined;
    const record = this.#decode(row);
    if (record === undefined)
      throw new StoreError("damaged", `The outgoing message ${encodeId("o", numberOf(row, "id"))} is damaged and will not be sent.`);
    return record;
  }

  /** A page without a readable row is skipped: an empty result means that there are no more rows. */
  listPending(options: { readonly limit: number; readonly afterId?: string }): readonly OutboxRecord[] {
    let after = options.afterId === undefined ? 0 : decodePosition("o", options.afterId);
    for (;;) {
      const rows = this.#context.database.all(
        `SELECT ${OUTBOX_COLUMNS} WHERE outbox.state IN ('waiting', 'sending') AND outbox.id > ? ORDER BY outbox.id LIMIT ?`,
        after,
        options.limit,
      );
      const records = rows.map((row) => this.#decode(row)).filter((record) => record !== undefined);
      const last = rows.at(-1);
      if (records.length > 0 || last === undefined) return records;
      after = numberOf(last, "id");
    }
  }

  /** Claims a queued row; never a damaged one. */
  claim(id: string): boolean {
    const row = this.#context.database.get(
      "UPDATE outbox SET state = 'sending', attempts = attempts + 1 WHERE id = ? AND state = 'waiting' RETURNING *, NULL AS turn_id",
      decodeId("o", id) ?? -1,
    );
    return row !== undefined && this.#decode(row) !== undefined;
  }

  settle(id: string, transition: OutboxTransition, nowMs: number): OutboxRecord {
    const record = this.read(id);
    if (record === undefined) throw new StoreError("not-found", `There is no outgoing message ${id}.`);
    const allowed = transition.type === "receipt" ? ["sending"] : ["waiting", "sending"];
    if (!allowed.includes(record.state.type)) {
      throw new StoreError("conflict", `The outgoing message ${id} is ${record.state.type}, not ${allowed.join(" or ")}.`);
    }
    const retryAtMs = transition.type === "receipt" ? transition.retryAtMs : undefined;
    const delayMs = retryAtMs === undefined ? undefined : Math.max(0, retryAtMs - nowMs);
    const state = transition.type === "receipt" ? stateAfter(transition.receipt, delayMs) : endedState(transition);
    const dueAtMs = state.type === "waiting" && retryAtMs !== undefined ? retryAtMs : record.dueAtMs;
    const possiblyDelivered = record.possiblyDelivered || (transition.type === "receipt" && transition.receipt.type === "ambiguous");
    const refusals = record.refusals + (transition.type === "receipt" && transition.isRefusal === true ? 1 : 0);
    this.#context.database.run(
      "UPDATE outbox SET state = ?, result = ?, due_at = ?, settled_at = ?, may_be_shown = ?, refusals = ? WHERE id = ?",
      state.type,
      resultOf(state),
      dueAtMs,
      state.type === "waiting" ? null : nowMs,
      possiblyDelivered ? 1 : 0,
      refusals,
      decodeId("o", id) ?? -1,
    );
    if (state.type === "accepted") this.#sentMessages.add(id, state.messageIds);
    return { ...record, state, dueAtMs, possiblyDelivered, refusals, ...(state.type === "waiting" ? {} : { settledAtMs: nowMs }) };
  }

  /** Rows that were given up, newest first, before a position in the list. */
  listGivenUp(beforeId: number, limit: number): readonly OutboundLetter[] {
    return this.#context.database
      .all(
        `SELECT ${OUTBOX_COLUMNS} WHERE outbox.state IN ('dead', 'ambiguous') AND outbox.id < ? ORDER BY outbox.id DESC LIMIT ?`,
        beforeId,
        limit,
      )
      .map((row) => this.#letter(row));
  }

  readGivenUp(id: string): OutboundLetter | undefined {
    const row = this.#context.database.get(
      `SELECT ${OUTBOX_COLUMNS} WHERE outbox.id = ? AND outbox.state IN ('dead', 'ambiguous')`,
      decodeId("o", id) ?? -1,
    );
    return row === undefined ? undefined : this.#letter(row);
  }

  /** The idempotency key and the age stay: what the platform still knows of the row applies to the new attempts too. */
  revive(id: string, options: { readonly nowMs: number; readonly expiresAtMs: number }): OutboxRecord {
    const record = this.read(id);
    if (record === undefined) throw new StoreError("not-found", `There is no outgoing message ${id}.`);
    if (record.state.type !== "dead" && record.state.type !== "ambiguous")
      throw new StoreError("conflict", `The outgoing message ${id} is ${record.state.type}; only one that was given up can be sent again.`);
    this.#context.database.run(
      "UPDATE outbox SET state = 'waiting', result = NULL, settled_at = NULL, attempts = 0, refusals = 0, due_at = ?, expires_at = ? WHERE id = ?",
      options.nowMs,
      options.expiresAtMs,
      decodeId("o", id) ?? -1,
    );
    const { settledAtMs: _settled, ...unsettled } = record;
    return { ...unsettled, state: { type: "waiting" }, attempts: 0, refusals: 0, dueAtMs: options.nowMs, expiresAtMs: options.expiresAtMs };
  }

  /** Removes one row that was given up. */
  purge(id: string): boolean {
    return this.#context.database.run("DELETE FROM outbox WHERE id = ? AND state IN ('dead', 'ambiguous')", decodeId("o", id) ?? -1) > 0;
  }

  /** Removes up to `limit` rows that were given up before a time. */
  purgeBefore(beforeMs: number, limit: number): number {
    return this.#context.database.run(
      "DELETE FROM outbox WHERE id IN (SELECT id FROM outbox WHERE state IN ('dead', 'ambiguous') AND settled_at < ? ORDER BY id LIMIT ?)",
      beforeMs,
      limit,
    );
  }

  /** Ends a row that is being sent and adds the rows that replace it. */
  replace(id: string, rows: readonly NewOutbound[], options: { readonly reason: string; readonly nowMs: number }): readonly OutboxRecord[] {
    const { database } = this.#context;
    const record = this.read(id);
    if (record === undefined) throw new StoreError("not-found", `There is no outgoing message ${id}.`);
    const ended = database.get(
      "UPDATE outbox SET state = 'replaced', result = ?, settled_at = ? WHERE id = ? AND state = 'sending' RETURNING turn",
      JSON.stringify(options.reason),
      options.nowMs,
      decodeId("o", id) ?? -1,
    );
    if (ended === undefined) throw new StoreError("conflict", `The outgoing message ${id} is ${record.state.type}, not sending.`);
    const turn = ended["turn"] === null ? {} : { turn: numberOf(ended, "turn") };
    const replaces = [...(record.replaces ?? []), id];
    const added = this.add(rows, { ...turn, atMs: options.nowMs, replaces, inputIds: record.inputIds });
    if (!record.possiblyDelivered) return added;
    for (const one of added) database.run("UPDATE outbox SET may_be_shown = 1 WHERE id = ?", decodeId("o", one.id) ?? -1);
    return added.map((one) => ({ ...one, possiblyDelivered: true }));
  }

  /** Suppresses the unsent replies of a turn. */
  withdrawReplies(turn: number, nowMs: number): void {
    this.#context.database.run(
      `UPDATE outbox SET state = 'suppressed', settled_at = ?
       WHERE state IN ('waiting', 'sending') AND state = 'waiting' AND turn = ? AND purpose IN ('reply', 'preview')`,
      nowMs,
      turn,
    );
  }

  /** True if one of the newest rows belongs to the turn. */
  hasRowOf(turnId: string): boolean {
    const found = this.#context.database.get(
      `SELECT 1 FROM outbox WHERE id > (SELECT coalesce(max(id), 0) FROM outbox) - ${SEARCHED_ROWS}
         AND turn = (SELECT n FROM turns WHERE id = ?) LIMIT 1`,
      turnId,
    );
    return found !== undefined;
  }

  /** The rows of a turn among the newest ones, oldest first; damaged ones are left out. */
  ofTurn(turnId: string): readonly OutboxRecord[] {
    const rows = this.#context.database.all(
      `SELECT ${OUTBOX_COLUMNS} WHERE outbox.id > (SELECT coalesce(max(id), 0) FROM outbox) - ${SEARCHED_ROWS}
         AND outbox.turn = (SELECT n FROM turns WHERE id = ?) ORDER BY outbox.id LIMIT 200`,
      turnId,
    );
    return rows.flatMap((row) => this.#decode(row) ?? []);
  }

  /** Rows that were not sent yet: one may be claimed long before its turn to be sent. */
  countPending(): number {
    return this.#count("SELECT count(*) AS count FROM outbox WHERE state IN ('waiting', 'sending')");
  }

  oldestPendingMs(): number | undefined {
    const row = this.#context.database.get("SELECT created_at FROM outbox WHERE state IN ('waiting', 'sending') ORDER BY id LIMIT 1");
    return row === undefined ? undefined : numberOf(row, "created_at");
  }

  countGivenUp(state: "dead" | "ambiguous"): number {
    return this.#count("SELECT count(*) AS count FROM outbox WHERE state IN ('dead', 'ambiguous') AND state = ?", state);
  }

  /** Prunes up to `limit` rows settled before `beforeMs`; dead letters stay. Returns the number of rows removed. */
  prune(beforeMs: number, limit: number): number {
    return this.#context.database.run(
      "DELETE FROM outbox WHERE id IN (SELECT id FROM outbox WHERE state IN ('accepted', 'suppressed', 'replaced') AND settled_at < ? LIMIT ?)",
      beforeMs,
      limit,
    );
  }

  #addOne(row: NewOutbound, options: AddOptions): OutboxRecord {
    const { database } = this.#context;
    const key = checkKey("The idempotency key", row.idempotencyKey);
    const sessionKey = checkKey("The session key", row.sessionKey);
    const payload = JSON.stringify({
      target: row.target,
      outbound: row.outbound,
      ...withoutUndefined({ covers: row.covers, slot: row.slot, replaces: options.replaces, inputIds: options.inputIds }),
    } satisfies OutboxPayload);
    const inserted = database.get(
      `INSERT INTO outbox (idempotency_key, turn, session_key, purpose, state, attempts, created_at, due_at, expires_at, settled_at, edit_of, payload, sum)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING RETURNING id`,
      key,
      options.turn ?? null,
      sessionKey,
      row.purpose,
      row.state,
      row.state === "sending" ? 1 : 0,
      options.atMs,
      row.dueAtMs,
      row.expiresAtMs,
      row.state === "suppressed" ? options.atMs : null,
      row.outbound.type === "edit" || row.outbound.type === "edit-card" ? row.outbound.of : null,
      payload,
      checksum(payload, [key, sessionKey, row.purpose]),
    );
    const stored =
      inserted === undefined
        ? database.get(`SELECT ${OUTBOX_COLUMNS} WHERE outbox.idempotency_key = ?`, key)
        : database.get(`SELECT ${OUTBOX_COLUMNS} WHERE outbox.id = ?`, numberOf(inserted, "id"));
    if (stored === undefined) throw new StoreError("internal", "A row of the outbox is neither new nor stored.");
    return toRecord(stored);
  }

  #count(sql: string, ...parameters: readonly string[]): number {
    const row = this.#context.database.get(sql, ...parameters);
    return row === undefined ? 0 : numberOf(row, "count");
  }

  /** A dead letter is never sent, so its damage only matters to its reader. */
  #letter(row: Row): OutboundLetter {
    const record = toReadable(row);
    return {
      type: "outbound",
      id: encodeId("o", numberOf(row, "id")),
      state: textOf(row, "state") === "ambiguous" ? "ambiguous" : "dead",
      reason: record === undefined ? "damaged" : "reason" in record.state ? record.state.reason : "",
      failedAtMs: numberOf(row, "settled_at"),
      sessionKey: textOf(row, "session_key"),
      ...withoutUndefined({ record }),
    };
  }

  #decode(row: Row): OutboxRecord | undefined {
    const record = toReadable(row);
    if (record === undefined) this.#exclude(numberOf(row, "id"), optionalNumber(row, "turn"));
    return record;
  }

  #exclude(id: number, turn: number | undefined): void {
    this.#context.quarantine({ type: "outbound", id: encodeId("o", id), turn }, () => {
      this.#context.database.run(
        "UPDATE outbox SET state = 'dead', result = ?, settled_at = ? WHERE id = ? AND state IN ('waiting', 'sending')",
        JSON.stringify("damaged"),
        this.#context.clock.now(),
        id,
      );
    });
  }
}

function endedState(transition: Exclude<OutboxTransition, { type: "receipt" }>): OutboxState {
  return { type: transition.type === "dead" ? "dead" : "replaced", reason: transition.reason };
}

/** A refused or lost send is requeued if the caller gives a time for the next attempt. */
function stateAfter(receipt: SendReceipt, delayMs: number | undefined): OutboxState {
  if (receipt.type === "accepted") return { type: "accepted", messageIds: receipt.messageIds };
  const isAmbiguous = receipt.type === "ambiguous";
  const refusal = isAmbiguous ? `ambiguous: ${receipt.cause}` : rejectionReason(receipt);
  if (delayMs !== undefined) return { type: "waiting", delay: { reason: refusal, delayMs } };
  return isAmbiguous ? { type: "ambiguous", reason: receipt.cause } : { type: "dead", reason: refusal };
}
