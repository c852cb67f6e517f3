import { loadConfig, type FactotumConfig } from "@factotum/config";
import type { SkillEntry } from "@factotum/agent-contract";
import type { ToolSummary } from "@factotum/protocol";
import type { SkillProblem, SkillScan } from "@factotum/skills";
import { join } from "node:path";
import { composeSkillIndex } from "../compose/compose-skills.ts";
import { configOptions } from "../compose/extensions.ts";
import type { CliContext } from "../runtime/cli-context.ts";
import { findGateway, requestError } from "../rpc/connect-gateway.ts";
import { RpcError } from "../rpc/rpc-errors.ts";
import { CliError } from "../runtime/cli-error.ts";

/** The skills of one agent on this disk. */
export interface AgentSkills {
  readonly agentId: string;
  /** Its problems include those of the agent: its allow list, and tools that it lacks. */
  readonly scan: SkillScan;
  /** Whether the tools of the agent are known: a running gateway knows them. */
  readonly knowsTools: boolean;
  /** `skills.entries`. */
  readonly entries: FactotumConfig["skills"]["entries"];
}

/** A log for commands: what it would say is part of their result. */
const SILENT = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined, child: () => SILENT };

/** Finds the skills of an agent, the default one if none is named, asking a running gateway for the tools that skills need. Rejects with a CliError for an unknown one. */
export async function scanSkills(context: CliContext, named: string | undefined): Promise<AgentSkills> {
  const { env, signal } = context;
  const loaded = await loadConfig(await configOptions(env));
  if (loaded.type === "refused")
    throw new CliError("configInvalid", "The configuration has errors, so the folders of skills are not known.", {
      fix: "Show them with: factotum config validate",
    });
  const { config } = loaded;
  const agentId = named ?? config.defaultAgentId;
  const agent = config.agents.find(({ id }) => id === agentId);
  if (agent === undefined)
    throw new CliError("usage", `There is no agent ${JSON.stringify(agentId)}.`, {
      fix: `Configured are: ${config.agents.map(({ id }) => id).join(", ")}.`,
    });
  const index = composeSkillIndex(config, context, SILENT);
  const scan = await index.scan({ workspace: agent.workspace, agentId, signal });
  const needed = scan.skills.some(({ tools = [] }) => tools.length > 0);
  const tools = needed ? await toolsOf(agentId, context) : undefined;
  const problems = scan.skills.flatMap((skill) => {
    const found = problemOf(skill, agent.skills.allow, tools);
    return found === undefined ? [] : [{ ...found, path: join(skill.folder, "SKILL.md"), name: skill.name }];
  });
  return {
    agentId,
    scan: { ...scan, problems: [...scan.problems, ...problems] },
    knowsTools: tools !== undefined,
    entries: config.skills.entries,
  };
}

/** Why an agent is not offered a skill that can be used here. */
function problemOf(
  { name, tools: needed = [] }: SkillEntry,
  allow: readonly string[] | undefined,
  tools: readonly ToolSummary[] | undefined,
): Pick<SkillProblem, "type" | "message"> | undefined {
  if (allow?.includes(name) === false) return { type: "disabled", message: `${name} is not in skills.allow of the agent` };
  for (const tool of tools === undefined ? [] : needed) {
    const found = tools?.find((one) => one.name === tool);
    if (found === undefined) return { type: "not-eligible", message: `${name} needs the tool ${tool}, which the gateway has not loaded` };
    if (found.state === "removed" || found.state === "missing")
      return { type: "not-eligible", message: `${name} needs the tool ${tool}: ${found.reason ?? "the agent does not have it"}` };
  }
  return undefined;
}

/** The tools of an agent, as the running gateway has loaded them; `undefined` without one, and for an agent that it does not know yet. */
async function toolsOf(agentId: string, context: CliContext): Promise<readonly ToolSummary[] | undefined> {
  using gateway = await findGateway(context);
  if (gateway === undefined) return undefined;
  try {
    return (await gateway.client.request("tools.list", { agentId }, { signal: context.signal })).tools;
  } catch (error) {
    if (error instanceof RpcError) return undefined;
    throw requestError(error);
  }
}
