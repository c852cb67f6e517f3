import { withoutUndefined } from "@factotum/agent-contract";
import type { UsageAmount, UsageGroup, UsageReport } from "@factotum/protocol";
import { requestGateway } from "../rpc/request-gateway.ts";
import { printJson, type CliContext } from "../runtime/cli-context.ts";
import { EXIT } from "../runtime/exit-codes.ts";
import { terminalText } from "../runtime/foreign-text.ts";
import { renderTable } from "../runtime/render-table.ts";

/** The period and the groups. */
export interface UsageOptions {
  /** Milliseconds since the epoch. */
  readonly since?: number;
  readonly until?: number;
  readonly timezone?: string;
  readonly by: readonly UsageGroup[];
  readonly limit?: number;
  readonly json: boolean;
}

/** Shows tokens and cost of a period, as the page does: by day, model, cause, agent, channel or session, and what remains of today's caps. */
export async function usage(context: CliContext, { since, until, timezone, by, limit, json }: UsageOptions): Promise<number> {
  const query = withoutUndefined({ fromMs: since, toMs: until, timeZone: timezone, limit });
  const report = await requestGateway(context, "usage.query", { ...query, by: [...by] });
  if (json) printJson(context, report);
  else {
    const rows = report.groups.map((group) => [...by.map((name) => group.keys[name] ?? ""), ...amountCells(group)]);
    const total = ["TOTAL", ...by.slice(1).map(() => ""), ...amountCells(report.total)];
    context.print(terminalText(renderTable([...by.map((name) => name.toUpperCase()), ...AMOUNT_HEADINGS], [...rows, total])));
    if (report.omitted > 0) context.note(`${report.omitted} more are not shown; --limit shows more.\n`);
    printCaps(context, report);
  }
  return EXIT.ok;
}

const AMOUNT_HEADINGS = ["REQUESTS", "READ", "FROM CACHE", "WRITTEN", "COST"];

function amountCells({ requests, input, output, cacheRead, cacheWrite, cacheHitRate, costUsd, unpriced }: UsageAmount): readonly string[] {
  const cached = cacheHitRate === undefined ? "-" : `${Math.round(cacheHitRate * 100)} %`;
  const cost = unpriced === requests && requests > 0 ? "unknown" : `$${(costUsd ?? 0).toFixed(4)}${unpriced > 0 ? "+" : ""}`;
  return [count(requests), count(input + cacheRead + cacheWrite), cached, count(output), cost];
}

function printCaps(context: CliContext, { caps }: UsageReport): void {
  if (caps.length === 0) return;
  const rows = caps.map(({ agent, name, tokensPerDay, usdPerDay, tokensLeft, usdLeft }) => [
    agent,
    name,
    tokensPerDay === undefined ? "-" : `${count(tokensLeft ?? 0)} of ${count(tokensPerDay)} tokens`,
    usdPerDay === undefined ? "-" : `$${(usdLeft ?? 0).toFixed(2)} of $${usdPerDay.toFixed(2)}`,
  ]);
  context.print(`\n${renderTable(["AGENT", "CAP", "TOKENS LEFT TODAY", "COST LEFT TODAY"], rows)}`);
}

function count(value: number): string {
  return value.toLocaleString("en-US");
}
