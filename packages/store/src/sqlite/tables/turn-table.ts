import { NO_USAGE_TOTALS, withoutUndefined } from "@factotum/agent-contract";
import type { MessageId, Origin } from "@factotum/channel-contract";
import type { ToolJournalRecord, TurnRecord, TurnState } from "../../port/turn-records.ts";
import { StoreError } from "../../port/store-error.ts";
import type { NewTurn, TurnEnd } from "../../port/turn-store.ts";
import { checkKey } from "../values/check-key.ts";
import { checksum, parseChecked } from "../values/checksum.ts";
import { numberOf, optionalNumber, optionalText, textOf } from "../values/row.ts";
import type { Row } from "../values/row.ts";
import { lostByIndex } from "../to-store-error.ts";
import type { TableContext } from "./table-context.ts";
import type { Conversation } from "./conversation-table.ts";

interface TurnPayload {
  readonly origin: Origin;
  readonly owner: boolean;
  readonly replyTo?: MessageId;
}

type TurnOutcome = Pick<TurnRecord, "usage" | "failure" | "untainted"> & { readonly silent?: true };

/** What a change of a running turn needs to know about it. */
export interface RunningTurn {
  readonly n: number;
  readonly id: string;
  /** Its number within the conversation, from 1. */
  readonly number: number;
  readonly sessionKey: string;
  readonly conversation: number;
  readonly inputIds: readonly string[];
  readonly attempts: number;
}

/** The newest turn of a conversation, of any kind. */
export type NewestTurn = Pick<TurnRecord, "sessionId" | "kind" | "state">;
/** A turn of which only the plain columns can be trusted. */
export type DamagedTurn = Pick<RunningTurn, "n" | "id" | "sessionKey">;

const COLUMNS = `turns.*, conversations.session_id, conversations.session_key, conversations.agent_id
  FROM turns JOIN conversations ON conversations.n = turns.conversation`;

const STATE = "id, kind, state, attempts, starts, outcome FROM turns";

/** Turns that a search in payloads reads at most: there is no index for it. */
const SEARCHED_TURNS = 10_000;

/** Turns and the journals of their tool calls. */
export class TurnTable {
  readonly #context: TableContext;

  constructor(context: TableContext) {
    this.#context = context;
  }

  insert(turn: NewTurn, conversation: Conversation): RunningTurn {
    const payload = JSON.stringify({
      origin: turn.origin,
      owner: turn.owner,
      ...withoutUndefined({ replyTo: turn.replyTo }),
    } satisfies TurnPayload);
    const id = checkKey("The turn id", turn.id);
    const inserted = this.#context.database.get(
      `INSERT INTO turns (id, conversation, number, kind, state, attempts, started_at, inputs, payload, sum)
       VALUES (?1, ?2, (SELECT coalesce(max(number), 0) + 1 FROM turns WHERE conversation = ?2), ?3, 'running', 1, ?4, ?5, ?6, ?7)
       ON CONFLICT DO NOTHING RETURNING n, number`,
      id,
      conversation.n,
      turn.kind,
      turn.startedAtMs,
      JSON.stringify(turn.inputIds),
      payload,
      checksum(payload, [id, conversation.n, turn.kind]),
    );
    if (inserted === undefined) throw new StoreError("conflict", `The turn ${id} exists already.`);
    const n = numberOf(inserted, "n");
    const number = numberOf(inserted, "number");
    return { n, id, number, sessionKey: conversation.sessionKey, conversation: conversation.n, inputIds: turn.inputIds, attempts: 1 };
  }

  /** A turn that can still be changed; throws `not-found` or `conflict` otherwise. */
  requireRunning(id: string): RunningTurn {
    const row = this.#context.database.get(`SELECT ${COLUMNS} WHERE turns.id = ?`, id);
    if (row === undefined) throw this.#notFound(id);
    if (textOf(row, "state") !== "running") throw new StoreError("conflict", `The turn ${id} has ended.`);
    return {
      n: numberOf(row, "n"),
      id,
      number: numberOf(row, "number"),
      sessionKey: textOf(row, "session_key"),
      conversation: numberOf(row, "conversation"),
      inputIds: inputIdsOf(row),
      attempts: numberOf(row, "attempts"),
    };
  }

  /** The row number of a turn, for rows that refer to it. */
  sequenceOf(id: string): number {
    const row = this.#context.database.get("SELECT n FROM turns WHERE id = ?", id);
    if (row === undefined) throw this.#notFound(id);
    return numberOf(row, "n");
  }

  /** A turn that a damaged index has lost could neither run nor end, and its session would wait for it for good. */
  #notFound(id: string): StoreError {
    const isLost = this.#context.database.get("SELECT 1 FROM turns NOT INDEXED WHERE id = ?", id) !== undefined;
    return isLost ? lostByIndex(`The turn ${id}`) : new StoreError("not-found", `There is no turn ${id}.`);
  }

  join(turn: RunningTurn, inputIds: readonly string[]): void {
    this.#context.database.run("UPDATE turns SET inputs = ? WHERE n = ?", JSON.stringify([...turn.inputIds, ...inputIds]), turn.n);
  }

  end(turn: RunningTurn, end: TurnEnd): void {
    const outcome: TurnOutcome = {
      usage: end.usage,
      ...withoutUndefined({ failure: end.failure, untainted: end.untainted }),
      ...(end.isSilent === true && { silent: true }),
    };
    this.#context.database.run(
      "UPDATE turns SET state = ?, ended_at = ?, outcome = ? WHERE n = ?",
      end.state,
      end.endedAtMs,
      JSON.stringify(outcome),
      turn.n,
    );
  }

  /** Throws `damaged` for a damaged turn: its address cannot be trusted. */
  read(id: string): TurnRecord | undefined {
    const row = this.#context.database.get(`SELECT ${COLUMNS} WHERE turns.id = ?`, id);
    return row === undefined ? undefined : toTurn(row);
  }

  /** The session and chat of a turn, as far as they are intact: for notices about its damage. */
  placeOf(n: number): { readonly sessionKey?: string; readonly origin?: Origin } {
    const row = this.#context.database.get(`SELECT ${COLUMNS} WHERE turns.n = ?`, n);
    if (row === undefined) return {};
    const sessionKey = textOf(row, "session_key");
    try {
      return { sessionKey, origin: toTurn(row).origin };
    } catch (error) {
      if (StoreError.isInstance(error)) return { sessionKey };
      throw error;
    }
  }

  /** True if one of the newest turns of a session came from this chat and was not the owner's. */
  hasTurnFrom(sessionKey: string, { channel, accountId, conversation }: Origin): boolean {
    const found = this.#context.database.get(
      `SELECT 1 FROM (SELECT payload FROM turns WHERE conversation IN (SELECT n FROM conversations WHERE session_key = ?)
                      ORDER BY conversation DESC, n DESC LIMIT ${SEARCHED_TURNS})
       WHERE CASE WHEN json_valid(payload) THEN payload ->> '$.owner' = 0 AND payload ->> '$.origin.channel' = ?
         AND payload ->> '$.origin.accountId' = ? AND payload ->> '$.origin.conversation.kind' = ?
         AND payload ->> '$.origin.conversation.id' = ? END LIMIT 1`,
      sessionKey,
      channel,
      accountId,
      conversation.kind,
      conversation.id,
    );
    return found !== undefined;
  }

  /** The turn of a conversation with this number. */
  find(conversation: Conversation, number: number): TurnRecord | undefined {
    const row = this.#context.database.get(`SELECT ${COLUMNS} WHERE turns.conversation = ? AND turns.number = ?`, conversation.n, number);
    return row === undefined ? undefined : toTurn(row);
  }

  /** The newest turn of each of the session ids that has one, in one query. */
  newest(sessionIds: readonly string[]): readonly NewestTurn[] {
    const rows = this.#context.database.all(
      `SELECT conversations.session_id, turns.kind, turns.state
       FROM json_each(?) AS wanted
       JOIN conversations ON conversations.session_id = wanted.value
       JOIN turns ON turns.n = (SELECT n FROM turns WHERE conversation = conversations.n ORDER BY number DESC LIMIT 1)`,
      JSON.stringify(sessionIds),
    );
    return rows.map((row) => ({
      sessionId: textOf(row, "session_id"),
      kind: textOf(row, "kind") as TurnRecord["kind"],
      state: toState(textOf(row, "state")),
    }));
  }

  /** The state of the conversation's newest turn, of any but these kinds. Reads plain columns only: damage of the address plays no part. */
  last(conversation: Conversation, except: readonly TurnRecord["kind"][]): TurnState | undefined {
    const newest = this.#context.database.get(`SELECT ${STATE} WHERE conversation = ? ORDER BY number DESC LIMIT 1`, conversation.n);
    // Nearly always the newest one matches, and a list of kinds inside the query costs more than the rest of it.
    const isExcepted = except.some((kind) => kind === newest?.["kind"]);
    const row = isExcepted
      ? this.#context.database.get(
          `SELECT ${STATE} WHERE conversation = ?1 AND kind NOT IN (SELECT value FROM json_each(?2)) ORDER BY number DESC LIMIT 1`,
          conversation.n,
          JSON.stringify(except),
        )
      : newest;
    if (row === undefined) return undefined;
    const outcome = optionalText(row, "outcome");
    const { failure } = outcome === undefined ? {} : (JSON.parse(outcome) as TurnOutcome);
    return {
      id: textOf(row, "id"),
      kind: textOf(row, "kind") as TurnRecord["kind"],
      state: toState(textOf(row, "state")),
      attempts: numberOf(row, "attempts"),
      starts: numberOf(row, "starts"),
      ...withoutUndefined({ failure }),
    };
  }

  /** Counts one more attempt; `undefined` when the turn is not running. */
  beginAttempt(id: string, { isSolo = false }: { readonly isSolo?: boolean } = {}): TurnRecord | undefined {
    const turn = this.read(id);
    if (turn === undefined) throw this.#notFound(id);
    if (turn.state !== "running") return undefined;
    const solo = isSolo ? 1 : 0;
    this.#context.database.run(
      "UPDATE turns SET attempts = attempts + 1, starts = starts + 1, solo_starts = solo_starts + ?1, is_solo = ?1 WHERE id = ?2",
      solo,
      id,
    );
    return { ...turn, attempts: turn.attempts + 1, starts: turn.starts + 1, soloStarts: turn.soloStarts + solo };
  }

  /** Takes an attempt back. */
  releaseAttempt(id: string): void {
    const { n } = this.requireRunning(id);
    this.#context.database.run(
      "UPDATE turns SET attempts = attempts - 1, starts = starts - 1, solo_starts = solo_starts - is_solo, is_solo = 0 WHERE n = ?",
      n,
    );
  }

  /** The turn has committed an entry: attempts before it no longer count. A first attempt, the usual case, costs no write. */
  recordProgress(turn: RunningTurn): void {
    if (turn.attempts > 1) this.#context.database.run("UPDATE turns SET attempts = 1 WHERE n = ?", turn.n);
  }

  /** The running turns. Damaged ones, whose address cannot be trusted, are passed to `abandon` instead. */
  resume(abandon: (turn: DamagedTurn) => void): readonly TurnRecord[] {
    const { database } = this.#context;
    const turns: TurnRecord[] = [];
    for (const row of database.all(`SELECT ${COLUMNS} WHERE turns.state = 'running' ORDER BY turns.n`)) {
      try {
        turns.push(toTurn(row));
      } catch (error) {
        if (!StoreError.isInstance(error)) throw error;
        abandon({ n: numberOf(row, "n"), id: textOf(row, "id"), sessionKey: textOf(row, "session_key") });
      }
    }
    return turns;
  }

  /** Ends a turn that cannot be resumed. */
  abandon(turn: DamagedTurn, nowMs: number): void {
    const outcome: TurnOutcome = {
      usage: NO_USAGE_TOTALS,
      failure: { code: "damaged", message: "What was stored of the turn is damaged." },
    };
    this.#context.database.run(
      "UPDATE turns SET state = 'failed', inputs = '[]', ended_at = ?, outcome = ? WHERE n = ?",
      nowMs,
      JSON.stringify(outcome),
      turn.n,
    );
    this.#context.quarantine({ type: "turn", id: turn.id, sessionKey: turn.sessionKey }, () => undefined);
  }

  /** Whether any turn of the conversation is running. */
  isBusy(conversation: Conversation): boolean {
    const row = this.#context.database.get(
      "SELECT 1 AS busy FROM turns WHERE conversation = ? AND state = 'running' LIMIT 1",
      conversation.n,
    );
    return row !== undefined;
  }

  remove(conversation: Conversation): void {
    this.#context.database.run("DELETE FROM turns WHERE conversation = ?", conversation.n);
  }

  /** A finished call never returns to the started state. */
  writeJournal(turn: RunningTurn, records: readonly Omit<ToolJournalRecord, "turnId">[]): void {
    for (const record of records) {
      this.#context.database.run(
        `INSERT INTO tool_journal (turn, call_id, name, state) VALUES (?, ?, ?, ?)
         ON CONFLICT DO UPDATE SET state = excluded.state WHERE tool_journal.state = 'started'`,
        turn.n,
        checkKey("The call id", record.callId),
        checkKey("The tool's name", record.name),
        record.state,
      );
    }
  }

  /** The journal of a turn that cannot be resumed is not needed. */
  clearJournal(turn: RunningTurn): void {
    this.#context.database.run("DELETE FROM tool_journal WHERE turn = ?", turn.n);
  }

  readJournal(turnId: string): readonly ToolJournalRecord[] {
    return this.#context.database
      .all(
        `SELECT tool_journal.* FROM turns JOIN tool_journal ON tool_journal.turn = turns.n WHERE turns.id = ? ORDER BY tool_journal.call_id`,
        turnId,
      )
      .map((row) => ({
        turnId,
        callId: textOf(row, "call_id"),
        name: textOf(row, "name"),
        state: textOf(row, "state") === "finished" ? "finished" : "started",
      }));
  }
}

function inputIdsOf(row: Row): readonly string[] {
  return JSON.parse(textOf(row, "inputs")) as string[];
}

function toTurn(row: Row): TurnRecord {
  const id = textOf(row, "id");
  const kind = textOf(row, "kind");
  const payload = parseChecked<TurnPayload>(row["payload"], row["sum"], [id, numberOf(row, "conversation"), kind]);
  const endedAtMs = optionalNumber(row, "ended_at");
  const outcome = optionalText(row, "outcome");
  const { silent: _silent, ...ended }: TurnOutcome =
    outcome === undefined ? { usage: NO_USAGE_TOTALS } : (JSON.parse(outcome) as TurnOutcome);
  return {
    id,
    number: numberOf(row, "number"),
    sessionKey: textOf(row, "session_key"),
    sessionId: textOf(row, "session_id"),
    agentId: textOf(row, "agent_id"),
    // The checksum covers it, so it is the kind that was written.
    kind: kind as TurnRecord["kind"],
    ...payload,
    inputIds: inputIdsOf(row),
    state: toState(textOf(row, "state")),
    attempts: numberOf(row, "attempts"),
    starts: numberOf(row, "starts"),
    soloStarts: numberOf(row, "solo_starts"),
    startedAtMs: numberOf(row, "started_at"),
    ...withoutUndefined({ endedAtMs }),
    ...ended,
  };
}

function toState(state: string): TurnRecord["state"] {
  switch (state) {
    case "running":
    case "done":
    case "aborted":
    case "failed":
      return state;
    default:
      throw new StoreError("damaged", `No turn can be ${JSON.stringify(state)}.`);
  }
}
