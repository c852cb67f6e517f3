import { AgentDirectory } from "./agent-directory.ts";
import type { AgentDirectoryOptions, AgentRuntime } from "./agent-directory.ts";
import type { ModelSource } from "./model-source.ts";
import type { FactotumConfig } from "@factotum/config";
import type { SkillIndex, ToolSource } from "@factotum/agent-contract";

/** A configuration and the parts made from it, before it is applied. */
export interface ConfigSettings {
  readonly config: FactotumConfig;
  readonly models: ModelSource;
  readonly toolSources: readonly ToolSource[];
  readonly skills: SkillIndex;
  readonly skillFolders: readonly string[];
  readonly ownerDisplaySecret: string | undefined;
}

/** What every directory of agents is made with. */
type RunningConfigOptions = Pick<AgentDirectoryOptions, "home" | "logger" | "onSourcesChanged" | "onFilesChanged">;

/** A consistent set: a configuration, and the parts made from it. */
interface ConfigParts {
  readonly config: FactotumConfig;
  readonly models: ModelSource;
  readonly agents: AgentDirectory;
  readonly ownerDisplaySecret: string | undefined;
}

/**
 * The running configuration, in the single place that changes it. Readers get the current one; a reader that needs the same one for several steps reads it once
 * and keeps it, as a turn does with its agent, its models and its tools.
 */
export class RunningConfig {
  readonly #options: RunningConfigOptions;
  #parts: ConfigParts;

  constructor(settings: ConfigSettings, options: RunningConfigOptions) {
    this.#options = options;
    this.#parts = this.#make(settings, undefined);
  }

  get config(): FactotumConfig {
    return this.#parts.config;
  }

  get models(): ModelSource {
    return this.#parts.models;
  }

  get agents(): AgentDirectory {
    return this.#parts.agents;
  }

  /** Resolved `commands.ownerDisplaySecret`. */
  get ownerDisplaySecret(): string | undefined {
    return this.#parts.ownerDisplaySecret;
  }

  /** The agent of this id, or the default one if it no longer exists. */
  agent(id: string): AgentRuntime {
    return this.#parts.agents.get(id) ?? this.#parts.agents.default;
  }

  /** Replaces the configuration, completely or, if it throws, not at all. */
  replace(settings: ConfigSettings): void {
    const { agents } = this.#parts;
    this.#parts = this.#make(settings, agents);
    agents.handOver(this.#parts.agents);
  }

  #make(settings: ConfigSettings, before: AgentDirectory | undefined): ConfigParts {
    const { config, models, ownerDisplaySecret } = settings;
    return {
      config,
      models,
      ownerDisplaySecret,
      agents: new AgentDirectory({ ...settings, ...this.#options }, before),
    };
  }
}
