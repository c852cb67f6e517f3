import { loadConfig, type FactotumConfig } from "@factotum/config";
import type { SkillScan } from "@factotum/skills";
import { composeSkillIndex } from "../compose/compose-skills.ts";
import { configOptions } from "../compose/extensions.ts";
import type { CliContext } from "../runtime/cli-context.ts";
import { CliError } from "../runtime/cli-error.ts";

/** The skills of one agent on this disk. */
export interface AgentSkills {
  readonly agentId: string;
  readonly scan: SkillScan;
  /** `skills.entries`. */
  readonly entries: FactotumConfig["skills"]["entries"];
}

/** A log for commands: what it would say is part of their result. */
const SILENT = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined, child: () => SILENT };

/** Finds the skills of an agent, the default one if none is named, without a running gateway. Rejects with a CliError for an unknown one. */
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
  return { agentId, scan: await index.scan({ workspace: agent.workspace, agentId, signal }), entries: config.skills.entries };
}
