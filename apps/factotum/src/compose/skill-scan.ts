import { join } from "node:path";
import type { SkillEntry } from "@factotum/agent-contract";
import type { FactotumConfig } from "@factotum/config";
import type { ToolSummary } from "@factotum/protocol";
import type { FoundSkill, SkillProblem, SkillScan } from "@factotum/skills";
import type { CliContext } from "../runtime/cli-context.ts";
import { CliError } from "../runtime/cli-error.ts";
import { composeSkillIndex } from "./compose-skills.ts";

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

/** Whether a skill is offered, and to whom; otherwise why not. */
export type SkillState =
  | { readonly type: "ready" | "people" | "model" }
  | { readonly type: "off" | "left-out" | "unknown"; readonly reason: string };

/** A log for commands: what it would say is part of their result. */
const SILENT = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined, child: () => SILENT };

/** Finds the skills of an agent, the default one if none is named. `toolsOf` is asked only if a skill needs a tool. Rejects with a CliError for an unknown agent. */
export async function scanAgentSkills(
  config: FactotumConfig,
  {
    context,
    agentId: named,
    toolsOf,
    signal,
  }: {
    readonly context: Pick<CliContext, "env" | "platform" | "paths">;
    readonly agentId: string | undefined;
    /** The tools of an agent, as the gateway has loaded them; `undefined` if that is not known. */
    readonly toolsOf: (agentId: string) => Promise<readonly ToolSummary[] | undefined>;
    readonly signal: AbortSignal;
  },
): Promise<AgentSkills> {
  const agentId = named ?? config.defaultAgentId;
  const agent = config.agents.find(({ id }) => id === agentId);
  if (agent === undefined)
    throw new CliError("usage", `There is no agent ${JSON.stringify(agentId)}.`, {
      fix: `Configured are: ${config.agents.map(({ id }) => id).join(", ")}.`,
    });
  const index = composeSkillIndex(config, context, SILENT);
  const scan = await index.scan({ workspace: agent.workspace, agentId, signal });
  const needed = scan.skills.some(({ tools = [] }) => tools.length > 0);
  const tools = needed ? await toolsOf(agentId) : undefined;
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

/** What becomes of a skill that was found. */
export function skillState(
  { name, invocation, path, requirements }: FoundSkill,
  { scan: { problems }, knowsTools }: Pick<AgentSkills, "scan" | "knowsTools">,
): SkillState {
  const problem = problems.find((one: SkillProblem) => one.path === path && (one.type === "not-eligible" || one.type === "disabled"));
  if (problem !== undefined) {
    const reason = problem.message.startsWith(`${name} `) ? problem.message.slice(name.length + 1) : problem.message;
    return { type: problem.type === "disabled" ? "off" : "left-out", reason };
  }
  if (!knowsTools && requirements.tools.length > 0)
    return { type: "unknown", reason: `where the gateway has the tool ${requirements.tools.join(", ")}; it is not running` };
  return { type: invocation === "people" || invocation === "model" ? invocation : "ready" };
}

/** What a skill needs, by kind. */
export function skillNeeds({ requirements }: FoundSkill): readonly (readonly [kind: string, names: readonly string[]])[] {
  const { os, bins, anyBins, env, config, tools } = requirements;
  const lists = [
    ["system", os],
    ["programs", bins],
    ["one of", anyBins],
    ["variables", env],
    ["settings", config],
    ["tools", tools],
  ] as const;
  return lists.filter(([, names]) => names.length > 0);
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
