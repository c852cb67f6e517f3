import type { RunKind } from "@factotum/agent-contract";
import type { SpendCharge, SpendRecord, TreeSpend } from "../../port/ledger-records.ts";
import { numberOf, textOf } from "../values/row.ts";
import type { Row } from "../values/row.ts";
import type { TableContext } from "./table-context.ts";

/** Days after its last charge for which the usage of a tree is kept. */
const TREE_DAYS = 30;

/** Usage by day, agent and cause, and that of trees with a budget. One row each keeps the tables small. */
export class SpendTable {
  readonly #context: TableContext;

  constructor(context: TableContext) {
    this.#context = context;
  }

  add(charge: SpendCharge): void {
    this.#context.database.run(
      `INSERT INTO spend (day, agent_id, cause, calls, tokens, cost_usd) VALUES (?, ?, ?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET calls = calls + excluded.calls, tokens = tokens + excluded.tokens,
         cost_usd = CASE WHEN cost_usd IS NULL THEN excluded.cost_usd ELSE cost_usd + COALESCE(excluded.cost_usd, 0) END`,
      charge.day,
      charge.agentId,
      charge.cause,
      charge.calls,
      charge.tokens,
      charge.costUsd ?? null,
    );
    if (charge.treeId !== undefined) this.#addToTree(charge.treeId, charge);
  }

  readTree(treeId: string): TreeSpend {
    const row = this.#context.database.get("SELECT tokens, cost_usd FROM tree_spend WHERE tree_id = ?", treeId);
    return row === undefined ? { tokens: 0, costUsd: 0 } : { tokens: numberOf(row, "tokens"), costUsd: numberOf(row, "cost_usd") };
  }

  read(day: string, agentId: string): readonly SpendRecord[] {
    return this.#context.database.all("SELECT * FROM spend WHERE day = ? AND agent_id = ? ORDER BY cause", day, agentId).map(toSpend);
  }

  list(fromDay: string, toDay: string): readonly SpendRecord[] {
    return this.#context.database
      .all("SELECT * FROM spend WHERE day BETWEEN ? AND ? ORDER BY day, agent_id, cause", fromDay, toDay)
      .map(toSpend);
  }

  #addToTree(treeId: string, { day, tokens, costUsd = 0 }: SpendCharge): void {
    const { database } = this.#context;
    database.run(`DELETE FROM tree_spend WHERE day < date(?, '-${TREE_DAYS} days')`, day);
    database.run(
      `INSERT INTO tree_spend (tree_id, day, tokens, cost_usd) VALUES (?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET day = excluded.day, tokens = tokens + excluded.tokens, cost_usd = cost_usd + excluded.cost_usd`,
      treeId,
      day,
      tokens,
      costUsd,
    );
  }
}

function toSpend(row: Row): SpendRecord {
  return {
    day: textOf(row, "day"),
    agentId: textOf(row, "agent_id"),
    cause: textOf(row, "cause") as RunKind,
    calls: numberOf(row, "calls"),
    tokens: numberOf(row, "tokens"),
    ...(row["cost_usd"] === null ? {} : { costUsd: numberOf(row, "cost_usd") }),
  };
}
