import type { AccountKey } from "../../port/account-store.ts";
import { withoutUndefined } from "@factotum/agent-contract";
import type { NewPairing, PairingRecord, PairingSender } from "../../port/pairing-store.ts";
import { StoreError } from "../../port/store-error.ts";
import { checkKey } from "../values/check-key.ts";
import { checksum, parseChecked } from "../values/checksum.ts";
import { numberOf, optionalNumber, optionalText, textOf } from "../values/row.ts";
import type { Row } from "../values/row.ts";
import type { TableContext } from "./table-context.ts";

type Payload = Pick<PairingRecord, "origin" | "senderName">;

/** `revoked` rows only remember that somebody was admitted once; `rejected` ones keep a sender from asking again before the code would have expired. */
type State = PairingRecord["state"] | "rejected" | "revoked";

const OF_SENDER = "channel = ? AND account = ? AND sender = ?";

/** People who asked to be admitted: one row per sender and account. */
export class PairingTable {
  readonly #context: TableContext;

  constructor(context: TableContext) {
    this.#context = context;
  }

  /** The state of a sender; expired requests count as absent. */
  stateOf({ channel, accountId, senderId }: PairingSender, nowMs: number): State | undefined {
    const row = this.#context.database.get(`SELECT * FROM pairings WHERE ${OF_SENDER}`, channel, accountId, senderId);
    if (row === undefined) return undefined;
    const state = textOf(row, "state") as State;
    const isOver = state !== "approved" && numberOf(row, "expires_at") <= nowMs;
    return isOver ? undefined : state;
  }

  /** Pending requests of an account. */
  countPending({ channel, accountId }: AccountKey, nowMs: number): number {
    const row = this.#context.database.get(
      "SELECT count(*) AS count FROM pairings WHERE channel = ? AND account = ? AND state = 'pending' AND expires_at > ?",
      channel,
      accountId,
      nowMs,
    );
    return row === undefined ? 0 : numberOf(row, "count");
  }

  /** Stores a request over an earlier one of the sender. */
  insert({ channel, accountId, senderId, code, expiresAtMs, origin, senderName }: NewPairing, nowMs: number): PairingRecord {
    for (const [name, value] of Object.entries({ channel, accountId, senderId, code })) checkKey(`The ${name} of a pairing`, value);
    if (this.#rowOf(code, nowMs) !== undefined) throw new StoreError("conflict", "Another pairing has this code.");
    const { database } = this.#context;
    // An expired request may have had the same code.
    database.run("UPDATE pairings SET code = NULL WHERE code = ?", code);
    const payload = JSON.stringify({ origin, ...withoutUndefined({ senderName }) } satisfies Payload);
    database.run(
      `INSERT INTO pairings (channel, account, sender, code, state, requested_at, expires_at, payload, sum) VALUES (?, ?, ?, ?, 'pending', ?, ?, ?, ?)
        ON CONFLICT (channel, account, sender) DO UPDATE SET code = excluded.code, state = 'pending', requested_at = excluded.requested_at,
          expires_at = excluded.expires_at, approved_at = NULL, payload = excluded.payload, sum = excluded.sum`,
      channel,
      accountId,
      senderId,
      code,
      nowMs,
      expiresAtMs,
      payload,
      checksum(payload, [channel, accountId, senderId]),
    );
    return this.#require(code, nowMs);
  }

  list(state: PairingRecord["state"], nowMs: number): readonly PairingRecord[] {
    const rows = this.#context.database.all("SELECT * FROM pairings WHERE state = ? ORDER BY requested_at, id", state);
    return rows.flatMap((row) => {
      if (state === "pending" && numberOf(row, "expires_at") <= nowMs) return [];
      return this.#decode(row) ?? [];
    });
  }

  find(code: string, nowMs: number): PairingRecord | undefined {
    const row = this.#rowOf(code, nowMs);
    return row === undefined ? undefined : this.#decode(row);
  }

  hasEverPaired(): boolean {
    return this.#context.database.get("SELECT 1 FROM pairings WHERE was_approved = 1 LIMIT 1") !== undefined;
  }

  approve(code: string, nowMs: number): PairingRecord {
    const pairing = this.#require(code, nowMs);
    const { database } = this.#context;
    database.run("UPDATE pairings SET state = 'approved', was_approved = 1, approved_at = ?, code = NULL WHERE code = ?", nowMs, code);
    return { ...pairing, state: "approved", approvedAtMs: nowMs };
  }

  reject(code: string, nowMs: number): PairingRecord {
    const pairing = this.#require(code, nowMs);
    this.#context.database.run("UPDATE pairings SET state = 'rejected', code = NULL WHERE code = ?", code);
    return pairing;
  }

  revoke({ channel, accountId, senderId }: PairingSender): boolean {
    const revoked = this.#context.database.get(
      `UPDATE pairings SET state = 'revoked', expires_at = 0 WHERE ${OF_SENDER} AND state = 'approved' RETURNING id`,
      channel,
      accountId,
      senderId,
    );
    return revoked !== undefined;
  }

  /** Removes at most `limit` requests that have expired, and returns how many. */
  prune(nowMs: number, limit: number): number {
    return this.#context.database.all(
      `DELETE FROM pairings WHERE id IN (SELECT id FROM pairings WHERE was_approved = 0 AND expires_at <= ? LIMIT ?) RETURNING id`,
      nowMs,
      limit,
    ).length;
  }

  #rowOf(code: string, nowMs: number): Row | undefined {
    return this.#context.database.get("SELECT * FROM pairings WHERE code = ? AND state = 'pending' AND expires_at > ?", code, nowMs);
  }

  #require(code: string, nowMs: number): PairingRecord {
    const found = this.find(code, nowMs);
    if (found === undefined) throw new StoreError("not-found", "No pending pairing has this code.");
    return found;
  }

  #decode(row: Row): PairingRecord | undefined {
    const [channel, accountId, senderId] = [textOf(row, "channel"), textOf(row, "account"), textOf(row, "sender")];
    try {
      const { origin, senderName } = parseChecked<Payload>(row["payload"], row["sum"], [channel, accountId, senderId]);
      return {
        channel,
        accountId,
        senderId,
        origin,
        code: optionalText(row, "code") ?? "",
        state: textOf(row, "state") === "approved" ? "approved" : "pending",
        requestedAtMs: numberOf(row, "requested_at"),
        expiresAtMs: numberOf(row, "expires_at"),
        ...withoutUndefined({ senderName, approvedAtMs: optionalNumber(row, "approved_at") }),
      };
    } catch (error) {
      if (!StoreError.isInstance(error)) throw error;
      this.#context.quarantine({ type: "pairing", id: `${channel}:${accountId} ${senderId}` }, () =>
        this.#context.database.run("DELETE FROM pairings WHERE id = ?", numberOf(row, "id")),
      );
      return undefined;
    }
  }
}
