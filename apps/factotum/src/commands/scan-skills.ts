import { loadConfig } from "@factotum/config";
import type { ToolSummary } from "@factotum/protocol";
import { configOptions } from "../compose/extensions.ts";
import { scanAgentSkills, type AgentSkills } from "../compose/skill-scan.ts";
import { findGateway, requestError } from "../rpc/connect-gateway.ts";
import { RpcError } from "../rpc/rpc-errors.ts";
import type { CliContext } from "../runtime/cli-context.ts";
import { CliError } from "../runtime/cli-error.ts";

/** Finds the skills of an agent, the default one if none is named, asking a running gateway for the tools that skills need. Rejects with a CliError for an unknown one. */
export async function scanSkills(context: CliContext, named: string | undefined): Promise<AgentSkills> {
  const loaded = await loadConfig(await configOptions(context.env));
  if (loaded.type === "refused")
    throw new CliError("configInvalid", "The configuration has errors, so the folders of skills are not known.", {
      fix: "Show them with: factotum config validate",
    });
  const toolsOf = async (agentId: string): Promise<readonly ToolSummary[] | undefined> => askForTools(agentId, context);
  return scanAgentSkills(loaded.config, { context, agentId: named, toolsOf, signal: context.signal });
}

/** The tools of an agent, as the running gateway has loaded them; `undefined` without one, and for an agent that it does not know yet. */
async function askForTools(agentId: string, context: CliContext): Promise<readonly ToolSummary[] | undefined> {
  using gateway = await findGateway(context);
  if (gateway === undefined) return undefined;
  try {
    return (await gateway.client.request("tools.list", { agentId }, { signal: context.signal })).tools;
  } catch (error) {
    if (error instanceof RpcError) return undefined;
    throw requestError(error);
  }
}
