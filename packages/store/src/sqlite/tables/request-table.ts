import { withoutUndefined } from "@factotum/agent-contract";
import type { RunKind } from "@factotum/agent-contract";
import type { RequestBody, RequestRecord, RequestUsage } from "../../port/ledger-records.ts";
import { StoreError } from "../../port/store-error.ts";
import type { LedgerStore, NewRequest } from "../../port/ledger-store.ts";
import type { Page } from "../../port/page.ts";
import { checksum, parseChecked } from "../values/checksum.ts";
import { toPage } from "../values/page.ts";
import { packRequest, unpackRequest } from "../values/request-payload.ts";
import type { PackedProfile, PackedRequest } from "../values/request-payload.ts";
import { numberOf, optionalText, textOf } from "../values/row.ts";
import type { Row } from "../values/row.ts";
import { decodeId, decodePosition, encodeId } from "../values/sequence-id.ts";
import type { TableContext } from "./table-context.ts";
import type { Conversation } from "./conversation-table.ts";
import type { RunningTurn } from "./turn-table.ts";

/** A position after every turn and every request. */
const END = Number.MAX_SAFE_INTEGER;

const COLUMNS = `requests.n, requests.conversation, requests.turn, requests.at, requests.payload, requests.sum, turns.id AS turn_id,
  turns.number AS turn_number, turns.kind, conversations.session_id, request_profiles.body AS profile, prompts.hash
  FROM requests JOIN turns ON turns.n = requests.turn JOIN conversations ON conversations.n = requests.conversation
  JOIN request_profiles ON request_profiles.n = requests.profile
  LEFT JOIN prompts ON prompts.n = requests.prompt`;

/** Model requests by reference: short rows that name their prompt and their last entry. */
export class RequestTable {
  readonly #context: TableContext;

  constructor(context: TableContext) {
    this.#context = context;
  }

  add(turn: RunningTurn, sessionId: string, requests: readonly NewRequest[]): void {
    for (const { promptHash, body, sentAtMs, ...facts } of requests) {
      const ownBody = body === undefined ? null : JSON.stringify(body);
      const { profile, payload } = packRequest(facts, sessionId);
      this.#context.database.run("INSERT INTO request_profiles (body) VALUES (?) ON CONFLICT DO NOTHING", profile);
      this.#context.database.run(
        `INSERT INTO requests (conversation, turn, prompt, profile, at, payload, sum, body, body_sum)
         VALUES (?1, ?2, (SELECT n FROM prompts WHERE conversation = ?1 AND hash = ?3 ORDER BY n DESC LIMIT 1),
           (SELECT n FROM request_profiles WHERE body = ?4), ?5, ?6, ?7, ?8, ?9)`,
        turn.conversation,
        turn.n,
        promptHash ?? null,
        profile,
        sentAtMs,
        payload,
        checksum(payload, [turn.conversation, turn.n, sentAtMs, profile]),
        ownBody,
        ownBody === null ? null : checksum(ownBody, [turn.conversation, turn.n, sentAtMs]),
      );
    }
  }

  list(
    conversation: Conversation,
    options: { readonly turn?: number; readonly before?: string; readonly limit: number },
  ): Page<RequestRecord> {
    const [beforeTurn, before] = options.before === undefined ? [END, END] : this.#positionOf(options.before);
    const rows = this.#context.database.all(
      `SELECT ${COLUMNS} WHERE requests.conversation = ? AND requests.turn BETWEEN ? AND ? AND (requests.turn, requests.n) < (?, ?)
       ORDER BY requests.turn DESC, requests.n DESC LIMIT ?`,
      conversation.n,
      options.turn ?? 0,
      Math.min(options.turn ?? END, beforeTurn),
      beforeTurn,
      before,
      options.limit + 1,
    );
    return toPage(rows, {
      limit: options.limit,
      cursorOf: (row) => encodeId("r", numberOf(row, "n")),
      decode: (row) => this.#decode(row),
    });
  }

  usage({ fromMs, toMs, before, limit }: Parameters<LedgerStore["listRequestUsage"]>[0]): Page<RequestUsage> {
    const rows = this.#context.database.all(
      `SELECT conversations.session_key, conversations.agent_id, iif(json_valid(turns.payload), turns.payload ->> '$.origin.channel', NULL) AS channel,
       ${COLUMNS} WHERE requests.n < ? AND requests.at >= ? AND requests.at < ? ORDER BY requests.n DESC LIMIT ?`,
      before === undefined ? END : decodePosition("r", before),
      fromMs,
      toMs,
      limit + 1,
    );
    return toPage(rows, {
      limit,
      cursorOf: (row) => encodeId("r", numberOf(row, "n")),
      decode: (row) => {
        const request = this.#decode(row);
        if (request === undefined) return undefined;
        const { id, kind, model, usage, outcome, sentAtMs } = request;
        const owner = { sessionKey: textOf(row, "session_key"), agentId: textOf(row, "agent_id") };
        return { id, kind, model, usage, outcome, sentAtMs, ...owner, ...withoutUndefined({ channel: optionalText(row, "channel") }) };
      },
    });
  }

  oldestMs(): number | undefined {
    const row = this.#context.database.get("SELECT at FROM requests ORDER BY n LIMIT 1");
    return row === undefined ? undefined : numberOf(row, "at");
  }

  read(id: string): RequestRecord | undefined {
    const row = this.#context.database.get(`SELECT ${COLUMNS} WHERE requests.n = ?`, decodeId("r", id) ?? -1);
    return row === undefined ? undefined : this.#decode(row);
  }

  /** A damaged request counts as missing. */
  readBody(id: string): RequestBody | undefined {
    const row = this.#context.database.get(
      "SELECT conversation, turn, at, body, body_sum FROM requests WHERE n = ? AND body IS NOT NULL",
      decodeId("r", id) ?? -1,
    );
    if (row === undefined) return undefined;
    try {
      return parseChecked<RequestBody>(row["body"], row["body_sum"], [
        numberOf(row, "conversation"),
        numberOf(row, "turn"),
        numberOf(row, "at"),
      ]);
    } catch (error) {
      if (StoreError.isInstance(error)) return undefined;
      throw error;
    }
  }

  /** Removes the oldest rows that exceed the age or the number; at most `limit` of each. Returns how many. */
  prune(options: { readonly beforeMs: number; readonly keep: number; readonly limit: number }): number {
    const { database } = this.#context;
    const old = database.run(
      "DELETE FROM requests WHERE n IN (SELECT n FROM (SELECT n, at FROM requests WHERE n > 0 ORDER BY n LIMIT ?) WHERE at < ?)",
      options.limit,
      options.beforeMs,
    );
    const surplus = database.run(
      "DELETE FROM requests WHERE n IN (SELECT n FROM requests WHERE n <= (SELECT max(n) FROM requests) - ? ORDER BY n LIMIT ?)",
      options.keep,
      options.limit,
    );
    return old + surplus;
  }

  remove(conversation: Conversation): void {
    this.#context.database.run("DELETE FROM requests WHERE conversation = ?", conversation.n);
  }

  /** The position of a request; a pruned one was older than all remaining ones. */
  #positionOf(id: string): readonly [turn: number, n: number] {
    const n = decodePosition("r", id);
    const row = this.#context.database.get("SELECT turn FROM requests WHERE n = ?", n);
    return row === undefined ? [0, 0] : [numberOf(row, "turn"), n];
  }

  /** A damaged row is removed: nothing depends on it. */
  #decode(row: Row): RequestRecord | undefined {
    const n = numberOf(row, "n");
    try {
      return toRequest(row);
    } catch (error) {
      if (!StoreError.isInstance(error)) throw error;
      this.#context.quarantine({ type: "request", id: encodeId("r", n) }, () => {
        this.#context.database.run("DELETE FROM requests WHERE n = ?", n);
      });
      return undefined;
    }
  }
}

function toRequest(row: Row): RequestRecord {
  const sentAtMs = numberOf(row, "at");
  const sessionId = textOf(row, "session_id");
  const profile = textOf(row, "profile");
  const facts = [numberOf(row, "conversation"), numberOf(row, "turn"), sentAtMs, profile];
  const payload = parseChecked<PackedRequest>(row["payload"], row["sum"], facts);
  const promptHash = optionalText(row, "hash");
  return {
    ...unpackRequest(JSON.parse(profile) as PackedProfile, payload, sessionId),
    id: encodeId("r", numberOf(row, "n")),
    sessionId,
    turnId: textOf(row, "turn_id"),
    turnNumber: numberOf(row, "turn_number"),
    // The turn's own checksum covers it; here it is only displayed.
    kind: textOf(row, "kind") as RunKind,
    ...withoutUndefined({ promptHash }),
    sentAtMs,
  };
}
