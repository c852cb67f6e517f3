import { describeRun, formatTime } from "@factotum/tools";
import { requestGateway } from "../rpc/request-gateway.ts";
import { printJson, type CliContext } from "../runtime/cli-context.ts";
import { EXIT } from "../runtime/exit-codes.ts";
import { terminalText } from "../runtime/foreign-text.ts";

/** Lists the heartbeats. */
export async function heartbeatList(cli: CliContext, { json }: { readonly json: boolean }): Promise<number> {
  const found = await requestGateway(cli, "heartbeat.list", {});
  if (json) {
    printJson(cli, found);
    return EXIT.ok;
  }
  for (const { agentId, on } of found.heartbeats) {
    const next = on?.nextAtMs === undefined ? "" : `, next ${formatTime(on.nextAtMs, ownZone())}`;
    const last = on?.last === undefined ? "" : `\n  last: ${describeRun(on.last, ownZone())}`;
    cli.print(`${terminalText(on === undefined ? `${agentId}: off` : `${agentId}: every ${on.every}, to ${on.target}${next}${last}`)}\n`);
  }
  return EXIT.ok;
}

/** Shows the outcomes of a heartbeat. */
export async function heartbeatRuns(
  cli: CliContext,
  { json, ...params }: { readonly json: boolean; readonly agentId?: string; readonly limit?: number },
): Promise<number> {
  const found = await requestGateway(cli, "heartbeat.runs", params);
  if (json) printJson(cli, found);
  else {
    for (const run of found.runs) cli.print(`${terminalText(describeRun(run, ownZone()))}\n`);
    if (found.runs.length === 0) cli.note("factotum: it has not run yet\n");
  }
  return EXIT.ok;
}

/** Runs a heartbeat now. */
export async function heartbeatRun(
  cli: CliContext,
  { json, ...params }: { readonly json: boolean; readonly agentId?: string },
): Promise<number> {
  const begun = await requestGateway(cli, "heartbeat.run", params);
  if (json) printJson(cli, begun);
  else cli.print(`Started: the heartbeat of ${terminalText(begun.agentId)}\n`);
  return EXIT.ok;
}

function ownZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}
