import type { MessageId, Origin } from "@factotum/channel-contract";
import { withoutUndefined } from "@factotum/agent-contract";
import type { CoveredSpan, OutboxDelay, OutboxRecord, OutboxState, StoredOutbound } from "../../port/outbox-records.ts";
import { StoreError } from "../../port/store-error.ts";
import { parseChecked } from "../values/checksum.ts";
import { numberOf, optionalNumber, optionalText, textOf } from "../values/row.ts";
import type { Row } from "../values/row.ts";
import { encodeId } from "../values/sequence-id.ts";

/** What the checksum of a row covers, with its keys. */
export interface OutboxPayload {
  readonly target: Origin;
  readonly outbound: StoredOutbound;
  readonly covers?: CoveredSpan;
  readonly slot?: OutboxRecord["slot"];
  readonly replaces?: readonly string[];
  readonly inputIds?: readonly string[];
}

/** What a record is read from. */
export const OUTBOX_COLUMNS: string = `outbox.*, turns.id AS turn_id FROM outbox LEFT JOIN turns ON turns.n = outbox.turn`;

/** The stored result of a state. */
export function resultOf(state: OutboxState): string | null {
  if (state.type === "accepted") return JSON.stringify(state.messageIds);
  if (state.type === "waiting") return state.delay === undefined ? null : JSON.stringify(state.delay);
  return state.type === "dead" || state.type === "ambiguous" || state.type === "replaced" ? JSON.stringify(state.reason) : null;
}

/** `undefined` for a damaged row. */
export function toReadable(row: Row): OutboxRecord | undefined {
  try {
    return toRecord(row);
  } catch (error) {
    if (!StoreError.isInstance(error)) throw error;
    return undefined;
  }
}

/** Throws `damaged` for a row that does not match its checksum. */
export function toRecord(row: Row): OutboxRecord {
  const idempotencyKey = textOf(row, "idempotency_key");
  const sessionKey = textOf(row, "session_key");
  const purpose = textOf(row, "purpose");
  const payload = parseChecked<OutboxPayload>(row["payload"], row["sum"], [idempotencyKey, sessionKey, purpose]);
  const turnId = optionalText(row, "turn_id");
  return {
    id: encodeId("o", numberOf(row, "id")),
    ...withoutUndefined({ turnId, inputIds: payload.inputIds }),
    sessionKey,
    target: payload.target,
    outbound: payload.outbound,
    ...withoutUndefined({ covers: payload.covers, slot: payload.slot }),
    // The checksum covers it, so it is one of the written values.
    purpose: purpose as OutboxRecord["purpose"],
    idempotencyKey,
    state: toState(row),
    attempts: numberOf(row, "attempts"),
    refusals: numberOf(row, "refusals"),
    createdAtMs: numberOf(row, "created_at"),
    ...withoutUndefined({ settledAtMs: optionalNumber(row, "settled_at") }),
    dueAtMs: numberOf(row, "due_at"),
    expiresAtMs: numberOf(row, "expires_at"),
    ...withoutUndefined({ replaces: payload.replaces }),
    possiblyDelivered: numberOf(row, "may_be_shown") === 1,
  };
}

function toState(row: Row): OutboxState {
  const type = textOf(row, "state");
  const result = optionalText(row, "result");
  switch (type) {
    case "waiting":
      return { type, ...(result === undefined ? {} : { delay: JSON.parse(result) as OutboxDelay }) };
    case "sending":
    case "suppressed":
      return { type };
    case "accepted":
      return { type, messageIds: result === undefined ? [] : (JSON.parse(result) as MessageId[]) };
    case "ambiguous":
    case "dead":
    case "replaced":
      return { type, reason: result === undefined ? "" : (JSON.parse(result) as string) };
    default:
      throw new StoreError("damaged", `No outgoing message can be ${JSON.stringify(type)}.`);
  }
}
