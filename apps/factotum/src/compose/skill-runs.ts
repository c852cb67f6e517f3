import { basename, dirname } from "node:path";
import { withoutUndefined } from "@factotum/agent-contract";
import type { Logger, RunFacts, SkillEntry, SkillIndex, SkillUse } from "@factotum/agent-contract";
import { resolveSecret, type FactotumConfig, type Secret } from "@factotum/config";
import { promptCommandName } from "@factotum/gateway";
import type { FileAccess } from "@factotum/tools";
import type { CliContext } from "../runtime/cli-context.ts";
import type { SecretFilter } from "../runtime/secret-filter.ts";
import { composeSkillIndex } from "./compose-skills.ts";

/** Runs that are remembered; the oldest are forgotten first. */
const MAX_RUNS = 1_000;
const LOOKUP_MS = 5_000;

/** The dependencies of the runs' skills. */
export interface SkillRunsOptions {
  readonly context: Pick<CliContext, "env" | "platform" | "paths">;
  readonly currentConfig: () => FactotumConfig;
  readonly secrets: Pick<SecretFilter, "add">;
  readonly logger: Logger;
  readonly signal: AbortSignal;
}

interface UsedSkills {
  /** As people wrote them. */
  readonly names: Set<string>;
  /** Folders whose SKILL.md was read. Real. */
  readonly folders: Set<string>;
}

/**
 * Gives the commands of a run the variables and the key of the skills that this run uses (`skills.entries`): those that its messages invoke, and those whose
 * SKILL.md was read in it. Other runs get none, nor do those of others than the owner and those in a sandbox that others use: its files may be programs of others.
 */
export class SkillRuns implements SkillUse {
  readonly #options: SkillRunsOptions;
  readonly #used = new Map<string, UsedSkills>();
  #index: { readonly config: FactotumConfig; readonly skills: SkillIndex } | undefined;

  constructor(options: SkillRunsOptions) {
    this.#options = options;
  }

  invoked({ runId }: RunFacts, names: readonly string[]): void {
    for (const name of names) this.#of(runId).names.add(promptCommandName(name));
  }

  /** The same files; a SKILL.md that a tool opens counts as used. */
  observe(files: FileAccess): FileAccess {
    return {
      forRun: async (run) => {
        const opened = await files.forRun(run);
        return {
          ...opened,
          openFile: async (path) => {
            const file = await opened.openFile(path);
            if (basename(file.path) === "SKILL.md") this.#of(run.runId).folders.add(dirname(file.path));
            return file;
          },
        };
      },
    };
  }

  /** The variables for a command of the run. A value that cannot be resolved is left out and logged. */
  readonly environment = async (run: RunFacts): Promise<Readonly<Record<string, string>>> => {
    const used = this.#used.get(run.runId);
    if (!run.owner || run.sandbox?.shared === true || used === undefined) return {};
    const config = this.#options.currentConfig();
    const variables: Record<string, string> = {};
    for (const skill of await this.#skillsOf(run, used, config)) Object.assign(variables, await this.#variablesOf(skill, config));
    this.#options.secrets.add(Object.values(variables));
    return variables;
  };

  #of(runId: string): UsedSkills {
    const known = this.#used.get(runId);
    if (known !== undefined) return known;
    const used: UsedSkills = { names: new Set(), folders: new Set() };
    this.#used.set(runId, used);
    if (this.#used.size > MAX_RUNS) for (const oldest of this.#used.keys().take(1)) this.#used.delete(oldest);
    return used;
  }

  async #skillsOf({ agentId }: RunFacts, used: UsedSkills, config: FactotumConfig): Promise<readonly SkillEntry[]> {
    const hasSettings = Object.values(config.skills.entries).some(({ env, apiKey }) => apiKey !== undefined || Object.keys(env).length > 0);
    const agent = config.agents.find(({ id }) => id === agentId);
    if (!hasSettings || agent === undefined) return [];
    if (this.#index?.config !== config)
      this.#index = { config, skills: composeSkillIndex(config, this.#options.context, this.#options.logger) };
    const { allow } = agent.skills;
    const place = { workspace: agent.workspace, agentId, signal: AbortSignal.timeout(LOOKUP_MS), ...withoutUndefined({ allow }) };
    const skills = await this.#index.skills.list(place);
    return skills.filter(({ name, folder }) => used.names.has(promptCommandName(name)) || used.folders.has(folder));
  }

  async #variablesOf({ name, settingsKey = name, primaryEnv }: SkillEntry, { skills }: FactotumConfig): Promise<Record<string, string>> {
    const settings = Object.hasOwn(skills.entries, settingsKey) ? skills.entries[settingsKey] : undefined;
    if (settings === undefined) return {};
    const secrets: readonly (readonly [string, Secret])[] = [
      ...(settings.apiKey === undefined || primaryEnv === undefined ? [] : [[primaryEnv, settings.apiKey] as const]),
      ...Object.entries(settings.env),
    ];
    const { env } = this.#options.context;
    const found: Record<string, string> = {};
    for (const [variable, secret] of secrets) {
      const resolved = await resolveSecret(secret, { env, signal: this.#options.signal });
      if (resolved.type === "resolved") found[variable] = resolved.value;
      else this.#options.logger.warn("A variable of a skill has no value", { skill: name, variable, detail: resolved.message });
    }
    return found;
  }
}
