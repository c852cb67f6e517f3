import { withoutUndefined } from "@factotum/agent-contract";
import type {
  ApprovalDecision,
  ApprovalRecord,
  ApprovalState,
  GrantQuery,
  NewApproval,
  QuestionAnswer,
} from "../../port/approval-store.ts";
import { StoreError } from "../../port/store-error.ts";
import { checkKey } from "../values/check-key.ts";
import { checksum, parseChecked } from "../values/checksum.ts";
import { numberOf, optionalNumber, optionalText, textOf } from "../values/row.ts";
import type { Row } from "../values/row.ts";
import type { TableContext } from "./table-context.ts";

type Payload = Pick<
  ApprovalRecord,
  "sessionKey" | "toolName" | "arguments" | "text" | "reason" | "origin" | "isQuestion" | "onceOnly" | "askedIn" | "answer"
>;

/** Rows that one listing returns at most. */
const LIST_LIMIT = 1000;

const IS_GRANT = "decision IN ('allow-session', 'allow-always') AND state IN ('running', 'decided')";

/** Tool calls that need a decision, and the decisions; one row per call. */
export class ApprovalTable {
  readonly #context: TableContext;

  constructor(context: TableContext) {
    this.#context = context;
  }

  insert(approval: NewApproval, nowMs: number): ApprovalRecord {
    const { id, turnId, callId, sessionId, agentId, binding, expiresAtMs } = approval;
    for (const [name, value] of Object.entries({ id, turnId, callId, sessionId, agentId, binding }))
      checkKey(`The ${name} of an approval`, value);
    const known = this.#ofCall(turnId, callId);
    if (known !== undefined) return known;
    if (this.#rowOf(id) !== undefined) throw new StoreError("conflict", "Another approval has this id.");
    const payload = JSON.stringify(payloadOf(approval));
    this.#context.database.run(
      `INSERT INTO approvals (id, turn_id, call_id, session_id, agent_id, binding, state, requested_at, expires_at, payload, sum)
        VALUES (?, ?, ?, ?, ?, ?, 'pending', ?, ?, ?, ?)`,
      id,
      turnId,
      callId,
      sessionId,
      agentId,
      binding,
      nowMs,
      expiresAtMs,
      payload,
      checksum(payload, [id, turnId, callId, binding]),
    );
    return this.#require(id);
  }

  read(id: string): ApprovalRecord | undefined {
    const row = this.#rowOf(id);
    return row === undefined ? undefined : this.#decode(row);
  }

  list(states: readonly ApprovalState[]): readonly ApprovalRecord[] {
    const marks = states.map(() => "?").join(", ");
    const rows = this.#context.database.all(
      `SELECT * FROM approvals WHERE state IN (${marks}) ORDER BY requested_at, id LIMIT ?`,
      ...states,
      LIST_LIMIT,
    );
    return rows.flatMap((row) => this.#decode(row) ?? []);
  }

  listOfTurn(turnId: string): readonly ApprovalRecord[] {
    const rows = this.#context.database.all(
      "SELECT * FROM approvals WHERE turn_id = ? ORDER BY requested_at, id LIMIT ?",
      turnId,
      LIST_LIMIT,
    );
    return rows.flatMap((row) => this.#decode(row) ?? []);
  }

  listGrants(): readonly ApprovalRecord[] {
    const rows = this.#context.database.all(`SELECT * FROM approvals WHERE ${IS_GRANT} ORDER BY decided_at, id LIMIT ?`, LIST_LIMIT);
    return rows.flatMap((row) => this.#decode(row) ?? []);
  }

  findGrant({ binding, agentId, sessionId, turnId = "" }: GrantQuery): ApprovalRecord | undefined {
    const rows = this.#context.database.all(
      `SELECT * FROM approvals WHERE binding = ? AND agent_id = ? AND state IN ('running', 'decided') AND (decision = 'allow-always'
        OR (decision = 'allow-session' AND session_id = ?) OR (decision = 'allow-once' AND turn_id = ?)) ORDER BY decided_at DESC, id`,
      binding,
      agentId,
      sessionId,
      turnId,
    );
    // A damaged row grants nothing.
    return rows.map((row) => this.#decode(row)).find((approval) => approval !== undefined);
  }

  decide(id: string, { decision, nowMs }: { readonly decision: ApprovalDecision; readonly nowMs: number }): ApprovalRecord {
    const found = this.read(id);
    const isOpen = (found?.state === "pending" || found?.state === "parked") && found.isQuestion !== true;
    if (found === undefined || !isOpen || found.expiresAtMs <= nowMs) throw new StoreError("not-found", "No approval with this id waits.");
    const state: ApprovalState = found.state === "parked" && decision !== "deny" ? "running" : "decided";
    this.#context.database.run("UPDATE approvals SET state = ?, decision = ?, decided_at = ? WHERE id = ?", state, decision, nowMs, id);
    return { ...found, state, decision, decidedAtMs: nowMs };
  }

  answer(id: string, { answer, nowMs }: { readonly answer: QuestionAnswer; readonly nowMs: number }): ApprovalRecord {
    const found = this.read(id);
    if (found?.isQuestion !== true || found.state !== "pending" || found.expiresAtMs <= nowMs)
      throw new StoreError("not-found", "No question with this id waits.");
    const answered: ApprovalRecord = { ...found, answer, state: "decided", decidedAtMs: nowMs };
    const payload = JSON.stringify(payloadOf(answered));
    const sum = checksum(payload, [id, found.turnId, found.callId, found.binding]);
    this.#context.database.run(
      "UPDATE approvals SET state = 'decided', decided_at = ?, payload = ?, sum = ? WHERE id = ?",
      nowMs,
      payload,
      sum,
      id,
    );
    return answered;
  }

  move(
    id: string,
    { from, to, nowMs }: { readonly from: readonly ApprovalState[]; readonly to: ApprovalState; readonly nowMs: number },
  ): ApprovalRecord | undefined {
    const found = this.read(id);
    if (found === undefined || !from.includes(found.state)) return undefined;
    const decidedAtMs = found.decidedAtMs ?? nowMs;
    this.#context.database.run("UPDATE approvals SET state = ?, decided_at = ? WHERE id = ?", to, to === "parked" ? null : decidedAtMs, id);
    return this.read(id);
  }

  /**
   * Removes at most `limit` calls that were settled before this time; returns how many. Decisions that hold for later calls of an agent stay, and those that were
   * taken back: what they have allowed may be asked about later.
   */
  prune(beforeMs: number, limit: number): number {
    return this.#context.database.all(
      `DELETE FROM approvals WHERE id IN (SELECT id FROM approvals WHERE decided_at < ? AND state IN ('decided', 'expired', 'withdrawn')
        AND NOT (state = 'decided' AND decision IS 'allow-always') AND NOT (state = 'withdrawn' AND decision IS NOT NULL) LIMIT ?)
        RETURNING id`,
      beforeMs,
      limit,
    ).length;
  }

  #ofCall(turnId: string, callId: string): ApprovalRecord | undefined {
    const row = this.#context.database.get("SELECT * FROM approvals WHERE turn_id = ? AND call_id = ?", turnId, callId);
    return row === undefined ? undefined : this.#decode(row);
  }

  #rowOf(id: string): Row | undefined {
    return this.#context.database.get("SELECT * FROM approvals WHERE id = ?", id);
  }

  #require(id: string): ApprovalRecord {
    const found = this.read(id);
    if (found === undefined) throw new StoreError("internal", "The approval was not stored.");
    return found;
  }

  #decode(row: Row): ApprovalRecord | undefined {
    const [id, turnId, callId, binding] = [textOf(row, "id"), textOf(row, "turn_id"), textOf(row, "call_id"), textOf(row, "binding")];
    try {
      const payload = parseChecked<Payload>(row["payload"], row["sum"], [id, turnId, callId, binding]);
      return {
        ...payload,
        id,
        turnId,
        callId,
        binding,
        sessionId: textOf(row, "session_id"),
        agentId: textOf(row, "agent_id"),
        state: textOf(row, "state") as ApprovalState,
        requestedAtMs: numberOf(row, "requested_at"),
        expiresAtMs: numberOf(row, "expires_at"),
        ...withoutUndefined({
          decision: optionalText(row, "decision") as ApprovalDecision | undefined,
          decidedAtMs: optionalNumber(row, "decided_at"),
        }),
      };
    } catch (error) {
      if (!StoreError.isInstance(error)) throw error;
      this.#context.quarantine({ type: "approval", id }, () => this.#context.database.run("DELETE FROM approvals WHERE id = ?", id));
      return undefined;
    }
  }
}

function payloadOf({
  sessionKey,
  toolName,
  arguments: given,
  text,
  reason,
  origin,
  isQuestion,
  onceOnly,
  askedIn,
  answer,
}: NewApproval & Pick<ApprovalRecord, "answer">): Payload {
  return { sessionKey, toolName, arguments: given, text, reason, origin, ...withoutUndefined({ isQuestion, onceOnly, askedIn, answer }) };
}
