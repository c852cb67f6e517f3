import { withoutUndefined } from "@factotum/agent-contract";
import { connectGateway, requestError } from "../rpc/connect-gateway.ts";
import { parseSessionName, sessionKeyOf } from "../rpc/session-name.ts";
import { printJson, type CliContext } from "../runtime/cli-context.ts";
import { CliError } from "../runtime/cli-error.ts";
import { EXIT } from "../runtime/exit-codes.ts";
import { terminalText } from "../runtime/foreign-text.ts";

/** Lists the slash commands of an agent. */
export async function commandsList(
  cli: CliContext,
  { session, agent, json }: { readonly session?: string; readonly agent?: string; readonly json: boolean },
): Promise<number> {
  if (session !== undefined && agent !== undefined)
    throw new CliError("usage", "--session and --agent exclude each other.", { fix: "A session belongs to one agent: leave --agent out." });
  const named = session === undefined ? undefined : parseSessionName(session);
  using gateway = await connectGateway(cli);
  try {
    const sessionKey = named === undefined ? undefined : await sessionKeyOf(named, cli, gateway);
    const found = await gateway.client.request("commands.list", withoutUndefined({ sessionKey, agentId: agent }), { signal: cli.signal });
    if (json) printJson(cli, found);
    else
      for (const { name, aliases, hint, summary, access } of found.commands) {
        const names = [name, ...aliases].map((each) => `/${each}`).join(", ");
        const usage = hint === undefined ? names : `${names} ${hint}`;
        cli.print(`${terminalText(`${usage}  ${summary}${access === "owner" ? " (yours alone)" : ""}`)}\n`);
      }
    return EXIT.ok;
  } catch (error) {
    throw requestError(error);
  }
}
