import type { MsgContext, Origin } from "@factotum/channel-contract";
import { withoutUndefined } from "@factotum/agent-contract";
import type { InputAdmission, InputRecord, InputState, TerminalInputState } from "../../port/inbox-records.ts";
import type { DeadLetter } from "../../port/outbox-records.ts";
import { StoreError } from "../../port/store-error.ts";
import type { Page } from "../../port/page.ts";
import { checksum, parseChecked } from "../values/checksum.ts";
import { eventKeyOf, messageKeyOf, receivedKeyOf } from "../values/input-keys.ts";
import { toPage } from "../values/page.ts";
import { numberOf, optionalText, textOf } from "../values/row.ts";
import type { Row } from "../values/row.ts";
import { decodeId, decodePosition, encodeId } from "../values/sequence-id.ts";
import type { TableContext } from "./table-context.ts";

/** What the checksum of a row covers, with its keys. */
export interface InboxPayload {
  readonly message: MsgContext;
  readonly admission: InputAdmission;
}

/** Terminal states that need no further work. */
const FORGOTTEN: readonly TerminalInputState["type"][] = [
  "answered",
  "silent",
  "suppressed",
  "ignored",
  "command",
  "shown",
  "interrupted",
  "told",
];

/** The reason of an input that waits because its dead letter was replayed; others wait without one. */
const REPLAYED = "replayed";

/** A dead input. */
export type InputLetter = Extract<DeadLetter, { type: "input" }>;

const LETTER_COLUMNS = `inbox.*, turns.id AS turn_id, conversations.session_key FROM inbox LEFT JOIN turns ON turns.n = inbox.turn
  LEFT JOIN conversations ON conversations.n = turns.conversation`;

const COLUMNS = `inbox.id, inbox.event_key, inbox.received_at, inbox.state, inbox.reason, inbox.attempts, inbox.payload, inbox.sum, turns.id AS turn_id FROM inbox LEFT JOIN turns ON turns.n = inbox.turn`;

/** Inputs, from their acceptance to their terminal state. */
export class InboxTable {
  readonly #context: TableContext;

  constructor(context: TableContext) {
    this.#context = context;
  }

  /** Inserts the input, or finds the one with the same event or, for a message, the same message of the platform (R2). */
  accept(
    message: MsgContext,
    options: { readonly admission: InputAdmission; readonly receivedAtMs: number },
  ): { readonly type: "accepted" | "duplicate"; readonly input: InputRecord } {
    const { database } = this.#context;
    const key = eventKeyOf(message, options.admission);
    const payload = JSON.stringify({ message, admission: options.admission } satisfies InboxPayload);
    const inserted = database.get(
      `INSERT INTO inbox (event_key, message_key, received_at, state, payload, sum) VALUES (?, ?, ?, 'waiting', ?, ?)
       ON CONFLICT DO NOTHING RETURNING id`,
      key,
      messageKeyOf(message, options.admission) ?? null,
      options.receivedAtMs,
      payload,
      checksum(payload, [key, options.receivedAtMs]),
    );
    if (inserted === undefined) return { type: "duplicate", input: this.#findDuplicate(message, options.admission, key) };
    const id = encodeId("i", numberOf(inserted, "id"));
    const { admission, receivedAtMs } = options;
    return { type: "accepted", input: { id, message, admission, receivedAtMs, state: { type: "waiting" } } };
  }

  read(id: string): InputRecord | undefined {
    const row = this.#context.database.get(`SELECT ${COLUMNS} WHERE inbox.id = ?`, decodeId("i", id) ?? -1);
    return row === undefined ? undefined : toInput(row);
  }

  find(event: Pick<MsgContext, "origin" | "eventId">): InputRecord | undefined {
    const row = this.#context.database.get(`SELECT ${COLUMNS} WHERE inbox.event_key = ?`, eventKeyOf(event));
    return row === undefined ? undefined : toInput(row);
  }

  list(filter: { readonly state: InputState["type"]; readonly limit: number; readonly cursor?: string }): Page<InputRecord> {
    const after = filter.cursor === undefined ? 0 : decodePosition("i", filter.cursor);
    const rows = this.#context.database.all(
      `SELECT ${COLUMNS} WHERE inbox.state = ? AND inbox.id > ? ORDER BY inbox.id LIMIT ?`,
      filter.state,
      after,
      filter.limit + 1,
    );
    return toPage(rows, {
      limit: filter.limit,
      cursorOf: (row) => encodeId("i", numberOf(row, "id")),
      decode: (row) => this.#decode(row),
    });
  }

  listRecent(limit: number): readonly InputRecord[] {
    const rows = this.#context.database.all(`SELECT ${COLUMNS} ORDER BY inbox.id DESC LIMIT ?`, limit);
    return rows.flatMap((row) => {
      try {
        return [toInput(row)];
      } catch (error) {
        // A damaged input of a turn is left to that turn.
        if (StoreError.isInstance(error) && error.code === "damaged") return [];
        throw error;
      }
    });
  }

  /** Claims waiting inputs for a turn. */
  claim(ids: readonly string[], turn: number): void {
    for (const id of ids) {
      const changed = this.#context.database.run(
        "UPDATE inbox SET state = 'claimed', turn = ? WHERE id = ? AND state = 'waiting'",
        turn,
        decodeId("i", id) ?? -1,
      );
      if (changed === 0) throw this.#refusal(id, "waiting");
    }
  }

  /** Removes the earlier messages of inputs whose turn has stored them in its transcript. */
  dropHistory(ids: readonly string[]): void {
    for (const id of ids) {
      const input = this.read(id);
      if (input?.admission.history === undefined) continue;
      const { history: _stored, ...admission } = input.admission;
      this.#replacePayload(id, { message: input.message, admission }, input.receivedAtMs);
    }
  }

  /** Counts one more attempt to start the turn of waiting inputs, and returns the highest count. */
  beginAttempt(ids: readonly string[]): number {
    const counts = ids.map((id) => {
      const row = this.#context.database.get(
        "UPDATE inbox SET attempts = attempts + 1 WHERE id = ? AND state = 'waiting' RETURNING attempts",
        decodeId("i", id) ?? -1,
      );
      return row === undefined ? 1 : numberOf(row, "attempts");
    });
    return Math.max(1, ...counts);
  }

  /** Takes an attempt back. */
  releaseAttempt(ids: readonly string[]): void {
    for (const id of ids)
      this.#context.database.run(
        "UPDATE inbox SET attempts = attempts - 1 WHERE id = ? AND state = 'waiting' AND attempts > 1",
        decodeId("i", id) ?? -1,
      );
  }

  /** Settles inputs; `from` is the state that they must be in. */
  settle(
    ids: readonly string[],
    state: TerminalInputState,
    options: { readonly from: "waiting" | "claimed"; readonly atMs: number },
  ): void {
    const reason = "reason" in state ? state.reason : null;
    for (const id of ids) {
      const changed = this.#context.database.run(
        "UPDATE inbox SET state = ?, reason = ?, settled_at = ? WHERE id = ? AND state = ?",
        state.type,
        reason,
        options.atMs,
        decodeId("i", id) ?? -1,
        options.from,
      );
      if (changed === 0) throw this.#refusal(id, options.from);
    }
  }

  /** Settles events that a turn shows; those that no longer wait are unchanged. */
  settleShown(ids: readonly string[], atMs: number): void {
    for (const id of ids) {
      this.#context.database.run(
        "UPDATE inbox SET state = 'shown', reason = NULL, settled_at = ? WHERE id = ? AND state = 'waiting'",
        atMs,
        decodeId("i", id) ?? -1,
      );
    }
  }

  /** Requeues the inputs of a turn, as if no turn had claimed them. */
  release(ids: readonly string[]): void {
    for (const id of ids) {
      const changed = this.#context.database.run(
        "UPDATE inbox SET state = 'waiting', turn = NULL WHERE id = ? AND state = 'claimed'",
        decodeId("i", id) ?? -1,
      );
      if (changed === 0) throw this.#refusal(id, "claimed");
    }
  }

  /** Settles the inputs of a turn that cannot be resumed. */
  abandon(turn: number, atMs: number): void {
    this.#context.database.run(
      "UPDATE inbox SET state = 'dead', reason = 'damaged', settled_at = ? WHERE state = 'claimed' AND turn = ?",
      atMs,
      turn,
    );
  }

  /** Dead inputs, newest first, before a position in the list. */
  listDead(beforeId: number, limit: number): readonly InputLetter[] {
    return this.#context.database
      .all(`SELECT ${LETTER_COLUMNS} WHERE inbox.state = 'dead' AND inbox.id < ? ORDER BY inbox.id DESC LIMIT ?`, beforeId, limit)
      .map((row) => this.#letter(row));
  }

  readDead(id: string): InputLetter | undefined {
    const row = this.#context.database.get(`SELECT ${LETTER_COLUMNS} WHERE inbox.id = ? AND inbox.state = 'dead'`, decodeId("i", id) ?? -1);
    return row === undefined ? undefined : this.#letter(row);
  }

  /** Requeues a dead input with its attempts reset; no turn owns it any more. */
  revive(id: string): InputRecord {
    const letter = this.readDead(id);
    if (letter === undefined) throw this.#refusal(id, "dead");
    if (letter.record === undefined) throw new StoreError("damaged", `The input ${id} is damaged: nobody knows what it said.`);
    this.#context.database.run(
      "UPDATE inbox SET state = 'waiting', reason = ?, turn = NULL, attempts = 1, settled_at = NULL WHERE id = ?",
      REPLAYED,
      decodeId("i", id) ?? -1,
    );
    const { turnId: _turnId, attempts: _attempts, ...input } = letter.record;
    return { ...input, state: { type: "waiting" }, isReplayed: true };
  }

  /** Removes the content of a dead input. Its key stays for deduplication until maintenance removes it. */
  purge(id: string, nowMs: number): boolean {
    const letter = this.readDead(id);
    if (letter === undefined) return false;
    this.#context.database.run(
      "UPDATE inbox SET state = 'ignored', reason = 'purged', settled_at = ? WHERE id = ?",
      nowMs,
      decodeId("i", id) ?? -1,
    );
    if (letter.record !== undefined) this.#replacePayload(id, withoutWords(letter.record), letter.record.receivedAtMs);
    return true;
  }

  #replacePayload(id: string, content: InboxPayload, receivedAtMs: number): void {
    const { database } = this.#context;
    const n = decodeId("i", id) ?? -1;
    const row = database.get("SELECT event_key FROM inbox WHERE id = ?", n);
    const payload = JSON.stringify(content);
    const key = row === undefined ? "" : textOf(row, "event_key");
    database.run("UPDATE inbox SET payload = ?, sum = ? WHERE id = ?", payload, checksum(payload, [key, receivedAtMs]), n);
  }

  /** Up to `limit` ids of inputs that died before a time. */
  deadBefore(beforeMs: number, limit: number): readonly string[] {
    return this.#context.database
      .all("SELECT id FROM inbox WHERE state = 'dead' AND settled_at < ? ORDER BY id LIMIT ?", beforeMs, limit)
      .map((row) => encodeId("i", numberOf(row, "id")));
  }

  count(state: InputState["type"]): number {
    const row = this.#context.database.get("SELECT count(*) AS count FROM inbox WHERE state = ?", state);
    return row === undefined ? 0 : numberOf(row, "count");
  }

  /** Prunes inputs settled before `beforeMs`; dead letters stay. Scans the oldest `limit` rows of each state and returns the number of rows removed. */
  prune(beforeMs: number, limit: number): number {
    let removed = 0;
    for (const state of FORGOTTEN) {
      removed += this.#context.database.run(
        `DELETE FROM inbox WHERE id IN (
           SELECT id FROM (SELECT id, settled_at FROM inbox WHERE state = ? ORDER BY id LIMIT ?) WHERE settled_at < ?
         )`,
        state,
        limit,
        beforeMs,
      );
    }
    return removed;
  }

  hasReceived(chat: Origin, messageId: string): boolean {
    const key = receivedKeyOf(chat, messageId);
    return this.#context.database.get("SELECT 1 FROM inbox WHERE message_key = ? OR event_key = ?", key, key) !== undefined;
  }

  /** A redelivery carries the same event or message, so it replaces a stored message that is damaged. */
  #findDuplicate(message: MsgContext, admission: InputAdmission, key: string): InputRecord {
    const { database } = this.#context;
    const row =
      database.get(`SELECT ${COLUMNS} WHERE inbox.event_key = ?`, key) ??
      database.get(`SELECT ${COLUMNS} WHERE inbox.message_key = ?`, messageKeyOf(message, admission) ?? null);
    if (row === undefined) throw new StoreError("internal", "An input is neither new nor stored.");
    return this.#decode(row) ?? { ...frameOf(row), message, admission };
  }

  #letter(row: Row): InputLetter {
    const record = this.#decode(row);
    const sessionKey = optionalText(row, "session_key");
    return {
      type: "input",
      id: encodeId("i", numberOf(row, "id")),
      reason: optionalText(row, "reason") ?? "",
      failedAtMs: numberOf(row, "settled_at"),
      ...withoutUndefined({ sessionKey, record }),
    };
  }

  #decode(row: Row): InputRecord | undefined {
    try {
      return toInput(row);
    } catch (error) {
      if (!StoreError.isInstance(error)) throw error;
      this.#exclude(numberOf(row, "id"));
      return undefined;
    }
  }

  #exclude(id: number): void {
    this.#context.quarantine({ type: "input", id: encodeId("i", id) }, () => {
      this.#context.database.run(
        "UPDATE inbox SET state = 'dead', reason = 'damaged', settled_at = ? WHERE id = ? AND state IN ('waiting', 'claimed')",
        this.#context.clock.now(),
        id,
      );
    });
  }

  #refusal(id: string, needed: string): StoreError {
    const row = this.#context.database.get("SELECT state FROM inbox WHERE id = ?", decodeId("i", id) ?? -1);
    if (row === undefined) return new StoreError("not-found", `There is no input ${id}.`);
    return new StoreError("conflict", `The input ${id} is ${textOf(row, "state")}, not ${needed}.`);
  }
}

/** The payload of an input whose content is removed: its address and ids stay. */
export function withoutWords({ message, admission }: Pick<InputRecord, "message" | "admission">): InboxPayload {
  const { origin, eventId, messageId, timestampMs, event, sender } = message;
  return {
    message: {
      origin,
      eventId,
      messageId,
      timestampMs,
      event,
      sender: { id: sender.id, isBot: sender.isBot },
      text: "",
      mentionsBot: false,
      attachments: [],
    },
    admission: { owner: admission.owner, kind: admission.kind },
  };
}

function frameOf(row: Row): Pick<InputRecord, "id" | "receivedAtMs" | "state" | "turnId" | "isReplayed" | "attempts"> {
  const attempts = numberOf(row, "attempts");
  const turnId = optionalText(row, "turn_id");
  const state = toState(textOf(row, "state"), optionalText(row, "reason"));
  return {
    id: encodeId("i", numberOf(row, "id")),
    receivedAtMs: numberOf(row, "received_at"),
    state,
    ...withoutUndefined({ turnId }),
    ...(state.type === "waiting" && optionalText(row, "reason") === REPLAYED ? { isReplayed: true } : {}),
    ...(attempts > 1 ? { attempts } : {}),
  };
}

function toInput(row: Row): InputRecord {
  const payload = parseChecked<InboxPayload>(row["payload"], row["sum"], [textOf(row, "event_key"), numberOf(row, "received_at")]);
  return { ...frameOf(row), message: payload.message, admission: payload.admission };
}

function toState(type: string, reason: string | undefined): InputState {
  switch (type) {
    case "ignored":
    case "interrupted":
    case "told":
    case "dead":
      return { type, reason: reason ?? "" };
    case "waiting":
    case "claimed":
    case "answered":
    case "silent":
    case "suppressed":
    case "command":
    case "shown":
      return { type };
    default:
      throw new StoreError("damaged", `No input can be ${JSON.stringify(type)}.`);
  }
}
