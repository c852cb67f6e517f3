import { withoutUndefined } from "@factotum/agent-contract";
import type { RpcMethods, ToolOccasion, ToolRule, ToolState, ToolSummary } from "@factotum/protocol";
import { connectGateway, requestError, type ConnectedGateway } from "../rpc/connect-gateway.ts";
import { parseSessionName, sessionKeyOf } from "../rpc/session-name.ts";
import { printJson, type CliContext } from "../runtime/cli-context.ts";
import { CliError } from "../runtime/cli-error.ts";
import { EXIT } from "../runtime/exit-codes.ts";
import { terminalText } from "../runtime/foreign-text.ts";

/** The run whose tools are shown. */
export interface ToolsOptions {
  readonly session?: string;
  readonly agent?: string;
  readonly sender?: string;
  readonly json: boolean;
}

const STATES: Readonly<Record<ToolState, string>> = {
  available: "available",
  asks: "needs your decision",
  refused: "refused",
  removed: "not there",
  missing: "not loaded",
};

/** Lists the tools of a run, each with the rule that keeps it from running freely. */
export async function toolsList(cli: CliContext, options: ToolsOptions): Promise<number> {
  const query = parseQuery(options);
  using gateway = await connectGateway(cli);
  try {
    const found = await gateway.client.request("tools.list", await query(cli, gateway), { signal: cli.signal });
    if (options.json) {
      printJson(cli, found);
      return EXIT.ok;
    }
    printRun(cli, found.run);
    const width = Math.max(0, ...found.tools.map(({ name }) => name.length)) + 2;
    for (const tool of found.tools) cli.print(`${terminalText(tool.name).padEnd(width)}${describeTool(tool)}\n`);
    return EXIT.ok;
  } catch (error) {
    throw requestError(error);
  }
}

/** Says of one tool what every layer of the policy decides, and which rule counts. */
export async function toolsExplain(cli: CliContext, { tool, ...options }: ToolsOptions & { readonly tool: string }): Promise<number> {
  const query = parseQuery(options);
  using gateway = await connectGateway(cli);
  try {
    const found = await gateway.client.request("tools.explain", { ...(await query(cli, gateway)), tool }, { signal: cli.signal });
    if (options.json) {
      printJson(cli, found);
      return EXIT.ok;
    }
    cli.print(`${terminalText(found.tool.name)}: ${describeTool(found.tool)}\n`);
    printRun(cli, found.run);
    for (const rule of found.rules)
      cli.print(`${rule.layer.padEnd(10)}${rule.admits ? "admits" : "removes"}  ${terminalText(`${rule.key}: ${describeRule(rule)}`)}\n`);
    return EXIT.ok;
  } catch (error) {
    throw requestError(error);
  }
}

type Query = RpcMethods["tools.list"]["params"];

/** Checks the options before anything is connected; the key of a named session is the gateway's to find. */
function parseQuery({ session, agent, sender }: ToolsOptions): (cli: CliContext, gateway: ConnectedGateway) => Promise<Query> {
  if (session !== undefined && agent !== undefined)
    throw new CliError("usage", "--session and --agent exclude each other.", { fix: "A session belongs to one agent: leave --agent out." });
  const named = session === undefined ? undefined : parseSessionName(session);
  return async (cli, gateway) => ({
    ...withoutUndefined({ agentId: agent, sender }),
    ...(named === undefined ? {} : { sessionKey: await sessionKeyOf(named, cli, gateway) }),
  });
}

function printRun(cli: CliContext, { sessionKey, agentId, model, owner, sender, sandboxed, elevated, mode }: ToolOccasion): void {
  const who = `${owner ? "the owner" : "somebody else"}${sender === undefined ? "" : ` (${sender})`}`;
  const place = sandboxed && !elevated ? "in the sandbox" : elevated ? "on the host (/elevated)" : "on the host";
  cli.print(
    terminalText(
      `for a message of ${who} in ${sessionKey}, agent ${agentId}, ${model ?? "without a usable model"}; commands run ${place}; mode ${mode}`,
    ) + "\n",
  );
}

function describeTool({ state, reason }: ToolSummary): string {
  return reason === undefined ? STATES[state] : `${STATES[state]}: ${terminalText(reason)}`;
}

function describeRule({ by, entry, admits }: ToolRule): string {
  switch (by) {
    case "deny":
      return `deny has ${entry ?? ""}`;
    case "allow":
      return admits ? `allow has ${entry ?? ""}` : "allow does not have it";
    case "profile":
      return `the profile ${entry ?? ""} ${admits ? "has" : "does not have"} it`;
    case "mode":
      return `the mode is "${entry ?? ""}"`;
    case "nothing":
      return "says nothing of it";
  }
}
