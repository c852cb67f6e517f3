import { randomUUID } from "node:crypto";
import type { ChatSubagent } from "@factotum/protocol";
import { requestGateway } from "../rpc/request-gateway.ts";
import { printJson, type CliContext } from "../runtime/cli-context.ts";
import { EXIT } from "../runtime/exit-codes.ts";
import { terminalText } from "../runtime/foreign-text.ts";
import { renderTable } from "../runtime/render-table.ts";

interface Format {
  readonly json: boolean;
}

/** Lists the sub-agents of all conversations: those that are open, and the newest that have ended. */
export async function subagentsList(cli: CliContext, { json }: Format): Promise<number> {
  const found = await requestGateway(cli, "subagents.list", {});
  if (json) {
    printJson(cli, found);
    return EXIT.ok;
  }
  const rows = found.subagents.map(({ sessionKey, state, label, task, depth }) => [
    `${"  ".repeat(depth - 1)}${label ?? task.slice(0, 60)}`,
    state,
    sessionKey,
  ]);
  cli.print(terminalText(renderTable(["SUB-AGENT", "STATE", "SESSION"], rows)));
  return EXIT.ok;
}

/** Tells a sub-agent something. */
export async function subagentsSteer(
  cli: CliContext,
  { json, sessionKey, text }: Format & { readonly sessionKey: string; readonly text: string },
): Promise<number> {
  const { subagent } = await requestGateway(cli, "subagents.steer", { sessionKey, text, idempotencyKey: randomUUID() });
  return report(cli, subagent, { json, done: "The message is on its way." });
}

/** Ends a sub-agent with all below it. */
export async function subagentsKill(cli: CliContext, { json, sessionKey }: Format & { readonly sessionKey: string }): Promise<number> {
  const { subagent } = await requestGateway(cli, "subagents.kill", { sessionKey });
  return report(cli, subagent, { json, done: "The sub-agent has ended." });
}

function report(cli: CliContext, subagent: ChatSubagent, { json, done }: Format & { readonly done: string }): number {
  if (json) printJson(cli, { subagent });
  else cli.print(`${done}\n`);
  return EXIT.ok;
}
