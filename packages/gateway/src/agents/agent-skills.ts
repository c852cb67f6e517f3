import path from "node:path";
import { withoutUndefined } from "@factotum/agent-contract";
import type { LeftOutSkill, SkillEntry, SkillIndex, SkillPlace } from "@factotum/agent-contract";
import type { GroupConfig, ResolvedAgent } from "@factotum/config";

/** What decides about the skills of an agent. */
export interface AgentSkillsOptions {
  readonly agent: ResolvedAgent;
  readonly skills: SkillIndex;
  /** Why the agent lacks a tool in a group: it is not loaded, or the policy removes it; `undefined` for one that it has. */
  readonly missingTool: (name: string, group: GroupConfig | undefined) => string | undefined;
}

/** A place in which skills are used. */
interface SkillQuery extends Pick<SkillPlace, "signal"> {
  readonly group: GroupConfig | undefined;
}

/** The skills of one agent: its allow lists, and the tools that a skill needs, decide about those of the index. */
export class AgentSkills {
  readonly #options: AgentSkillsOptions;

  constructor(options: AgentSkillsOptions) {
    this.#options = options;
  }

  /** The skills that can be used, by name. `workspace`: where the session's runs work; skills outside of it are named by their full path. */
  async list({ workspace, group, signal }: SkillQuery & { readonly workspace: string | undefined }): Promise<readonly SkillEntry[]> {
    const { agent, skills } = this.#options;
    const allow = narrow(agent.skills.allow, group?.skills);
    const found = await skills.list({ ...this.#place(signal), ...withoutUndefined({ allow }) });
    const usable = found.filter((skill) => this.#missingTools(skill, group).length === 0);
    return workspace === agent.workspace
      ? usable
      : usable.map((skill) => ({ ...skill, location: path.resolve(agent.workspace, skill.location) }));
  }

  /** The other skills, by name, each with the reason. */
  async leftOut({ group, signal }: SkillQuery): Promise<readonly LeftOutSkill[]> {
    const { skills } = this.#options;
    const place = this.#place(signal);
    const [unusable, usable] = await Promise.all([skills.leftOut(place), skills.list(place)]);
    const others = usable.flatMap((skill): LeftOutSkill[] => {
      const reason = this.#disallowed(skill, group) ?? this.#missingTools(skill, group)[0];
      return reason === undefined ? [] : [{ name: skill.name, reason }];
    });
    return [...unusable, ...others].toSorted(({ name: one }, { name: other }) => (one < other ? -1 : one > other ? 1 : 0));
  }

  #disallowed({ name }: SkillEntry, group: GroupConfig | undefined): string | undefined {
    if (this.#options.agent.skills.allow?.includes(name) === false) return "skills.allow of the agent does not have it";
    return group?.skills?.includes(name) === false ? "skills of the group does not have it" : undefined;
  }

  #missingTools({ tools = [] }: SkillEntry, group: GroupConfig | undefined): readonly string[] {
    return tools.flatMap((tool) => {
      const reason = this.#options.missingTool(tool, group);
      return reason === undefined ? [] : [`needs the tool ${tool}: ${reason}`];
    });
  }

  #place(signal: AbortSignal): SkillPlace {
    const { workspace, id } = this.#options.agent;
    return { workspace, agentId: id, signal };
  }
}

function narrow(agent: readonly string[] | undefined, group: readonly string[] | undefined): readonly string[] | undefined {
  if (agent === undefined || group === undefined) return group ?? agent;
  return agent.filter((name) => group.includes(name));
}
