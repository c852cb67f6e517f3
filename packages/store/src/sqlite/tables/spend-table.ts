import type { RunKind } from "@factotum/agent-contract";
import type { SpendCharge, SpendRecord } from "../../port/ledger-records.ts";
import { numberOf, textOf } from "../values/row.ts";
import type { TableContext } from "./table-context.ts";

/** Usage by day, agent and cause. One row each keeps the table small. */
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
  }

  read(day: string, agentId: string): readonly SpendRecord[] {
    const rows = this.#context.database.all("SELECT * FROM spend WHERE day = ? AND agent_id = ? ORDER BY cause", day, agentId);
    return rows.map((row) => ({
      day,
      agentId,
      cause: textOf(row, "cause") as RunKind,
      calls: numberOf(row, "calls"),
      tokens: numberOf(row, "tokens"),
      ...(row["cost_usd"] === null ? {} : { costUsd: numberOf(row, "cost_usd") }),
    }));
  }
}
