import { realpath } from "node:fs/promises";
import { createHash } from "node:crypto";
import { ModelError } from "@factotum/agent-contract";
import type { CacheRetention, LeftOutSkill, Logger, SkillEntry, SkillIndex, ToolSource } from "@factotum/agent-contract";
import { createTimeFormat } from "@factotum/agent-core";
import type { TimeFormat } from "@factotum/agent-core";
import { FolderError, makeFolder } from "@factotum/config";
import type { FactotumConfig, GroupConfig, ResolvedAgent } from "@factotum/config";
import { LRUCache } from "lru-cache";
import type { ModelSource, ResolvedModel } from "./model-source.ts";
import type { SourceWatch } from "../workspace/source-watch.ts";
import { SourceWatches } from "../workspace/source-watches.ts";
import type { SourceWatchesOptions } from "../workspace/source-watches.ts";
import { placeOfRun } from "./run-place.ts";
import type { RunOccasion, RunPlace } from "./run-place.ts";
import { AgentSkills } from "./agent-skills.ts";
import { createAgentTools, type AgentTools } from "./agent-tools.ts";
import { policyLayers } from "./policy-layers.ts";
import { filterTools, toolVerdicts } from "./tool-policy.ts";
import { collectTools } from "./tool-sources.ts";
import type { CollectedTools } from "./tool-sources.ts";
import { ToolQuarantine } from "./tool-quarantine.ts";

const MAX_KNOWN_WORKSPACES = 1_000;

/** The dependencies of the directory. */
export interface AgentDirectoryOptions {
  readonly config: FactotumConfig;
  /** The state directory. */
  readonly home: string;
  readonly models: ModelSource;
  readonly toolSources: readonly ToolSource[];
  readonly skills: SkillIndex;
  /** Folders of skills in addition to the workspaces' own, to be watched. */
  readonly skillFolders: readonly string[];
  readonly logger: Logger;
  /** Called for changes of watched files. */
  readonly onSourcesChanged?: SourceWatchesOptions["onSourcesChanged"];
  readonly onFilesChanged?: SourceWatchesOptions["onFilesChanged"];
}

/** One agent as a run sees it. */
export interface AgentRuntime extends AgentTools {
  readonly config: ResolvedAgent;
  /** Its display name: the identity's name, else the agent's. */
  readonly name: string | undefined;
  /** Fingerprint of the configuration that its prompts and tools depend on. */
  readonly basis: string;
  /** Whether files that its prompts depend on may have changed. */
  readonly sources: SourceWatch;
  /** Times in the zone of the agent's user. */
  readonly time: TimeFormat;
  /** Requested cache lifetime: `cacheRetention` among the model's params, `short` by default. */
  cacheRetention(reference: string): CacheRetention;
  /** The session's model, or the agent's; `override` is a reference. */
  model(override: string | undefined): Promise<ResolvedModel>;
  /** The fallback models, in order; none for a model that was chosen for the session. */
  fallbacks(override: string | undefined): Promise<readonly ResolvedModel[]>;
  /**
   * The skills of the agent's own workspace and of the shared folders. Files that runs write in another folder are not skills: others than the owner write
   * there. `workspace`: where the session's runs work, if that is one folder; skills outside of it are named by their full path.
   */
  skills(options: {
    readonly workspace: string | undefined;
    readonly group: GroupConfig | undefined;
    readonly signal: AbortSignal;
  }): Promise<readonly SkillEntry[]>;
  /** Its skills that cannot be used there, each with the reason. */
  skillsLeftOut(options: { readonly group: GroupConfig | undefined; readonly signal: AbortSignal }): Promise<readonly LeftOutSkill[]>;
  /** The instructions of a skill; `undefined` if it is gone by now. */
  skillBody(skill: SkillEntry, options: { readonly signal: AbortSignal }): Promise<string | undefined>;
  /** The slash commands of its workspace. */
  commandFiles(options: { readonly signal: AbortSignal }): ReturnType<SkillIndex["commands"]>;
}

/** The configured agents, by id. */
export class AgentDirectory {
  readonly #options: AgentDirectoryOptions;
  readonly #agents: ReadonlyMap<string, AgentRuntime>;
  readonly #collected: CollectedTools;
  readonly #quarantine: ToolQuarantine;
  readonly #watches: SourceWatches;
  /** Workspaces known to exist: the disk is not checked in every turn. */
  readonly #made = new LRUCache<string, true>({ max: MAX_KNOWN_WORKSPACES });

  /** `before`: the directory that this one replaces; its watchers are reused. */
  constructor(options: AgentDirectoryOptions, before?: AgentDirectory) {
    this.#options = options;
    this.#collected = collectTools(options.toolSources, options);
    this.#quarantine = before?.quarantine ?? new ToolQuarantine(options.logger);
    this.#watches = new SourceWatches(options, before?.watches);
    this.#agents = new Map(
      options.config.agents.map((agent) => [
        agent.id,
        createAgentRuntime(
          agent,
          { collected: this.#collected, quarantine: this.#quarantine, sources: this.#watches.of(agent.workspace) },
          options,
        ),
      ]),
    );
    for (const agent of options.config.agents) this.#warnOfUnknownTools(agent);
  }

  get(agentId: string): AgentRuntime | undefined {
    return this.#agents.get(agentId);
  }

  /** The default agent. */
  get default(): AgentRuntime {
    const agent = this.#agents.get(this.#options.config.defaultAgentId);
    if (agent === undefined)
      throw new Error(`the configuration names ${this.#options.config.defaultAgentId} as its default agent and does not define it`);
    return agent;
  }

  list(): readonly AgentRuntime[] {
    return [...this.#agents.values()];
  }

  /** Sources of tools that cannot be used now, each with the reason. */
  toolProblems(): readonly { readonly source: string; readonly problem: string }[] {
    return this.#options.toolSources.flatMap(({ id, problem }) => (problem === undefined ? [] : [{ source: id, problem }]));
  }

  get quarantine(): ToolQuarantine {
    return this.#quarantine;
  }

  get watches(): SourceWatches {
    return this.#watches;
  }

  /** It was replaced: stops watching folders that only this one watched. Turns that started with it continue. */
  handOver(next: AgentDirectory): void {
    this.#watches.handOver(next.watches);
  }

  /** Ends the watching of files. */
  async close(): Promise<void> {
    await this.#watches.close();
  }

  /**
   * Where a run works. The folder is created if missing; one that is removed later is created again by the first tool that needs it. The session's own folder is
   * never created: rejects if it is gone.
   */
  async placeFor(agent: AgentRuntime, run: RunOccasion): Promise<RunPlace> {
    const place = placeOfRun(agent.config, run, this.#options.home);
    if (place.folder === run.workspace) {
      await checkSessionFolder(place.folder);
      return place;
    }
    if (!this.#made.has(place.folder)) {
      await makeWorkspace(place.folder, place.sandbox?.workspaceAccess === "none" ? "sandbox.workspaceRoot" : "workspace");
      this.#made.set(place.folder, true);
    }
    return place;
  }

  #warnOfUnknownTools(agent: ResolvedAgent): void {
    const occasion = { provider: "", group: undefined, senders: [], sandboxed: false, subagent: false };
    const { missing } = filterTools(this.#collected.tools, policyLayers(agent, this.#options.config, occasion));
    if (missing.length > 0) this.#options.logger.warn("The tool policy allows names that nothing provides", { agent: agent.id, missing });
  }
}

/** A link in its place would lead the tools elsewhere. The message of a failure is shown to the owner. */
async function checkSessionFolder(folder: string): Promise<void> {
  const now = await realpath(folder).catch(() => undefined);
  if (now === folder) return;
  throw new Error(
    `The folder of this conversation, ${folder}, ${now === undefined ? "is gone" : "leads elsewhere now"}. Start another conversation.`,
  );
}

/** The message of a failure is shown to the owner. */
async function makeWorkspace(folder: string, key: string): Promise<void> {
  try {
    await makeFolder(folder);
  } catch (error) {
    if (!(error instanceof FolderError)) throw error;
    const advice = `choose another with agents.defaults.${key}, or with ${key} of the agent in agents.list`;
    throw new Error(`The workspace ${error.message}; ${advice}.`, { cause: error });
  }
}

function createAgentRuntime(
  agent: ResolvedAgent,
  {
    collected,
    quarantine,
    sources,
  }: { readonly collected: CollectedTools; readonly quarantine: ToolQuarantine; readonly sources: SourceWatch },
  options: AgentDirectoryOptions,
): AgentRuntime {
  const { config } = options;
  return {
    config: agent,
    name: agent.identity.name ?? agent.name,
    basis: fingerprint([
      agent.id,
      agent.identity,
      agent.name,
      agent.systemPrompt,
      agent.tools,
      agent.skills,
      agent.model,
      agent.thinking,
      agent.userTimezone,
      agent.workspace,
      agent.sandbox,
      config.tools,
      config.mcp,
      config.lsp,
      config.commands.ownerAllowFrom,
      agent.models,
      agent.reasoning,
      agent.heartbeat,
      agent.skipBootstrap,
      agent.bootstrapMaxChars,
      agent.bootstrapTotalMaxChars,
      modelTraits(config),
    ]),
    sources,
    time: createTimeFormat(agent.userTimezone),
    cacheRetention: (reference) => {
      const value = Object.hasOwn(agent.models, reference) ? agent.models[reference]?.params["cacheRetention"] : undefined;
      return value === "none" || value === "long" ? value : "short";
    },
    fallbacks: async (override) => {
      if (override !== undefined) return [];
      const found = await Promise.all(
        (agent.model?.fallbacks ?? []).map(async (reference) => resolveFallback(reference, agent.id, options)),
      );
      return found.flatMap((model) => model ?? []);
    },
    model: (override) => options.models.resolve(override ?? agent.model?.primary),
    ...createAgentTools(agent, { collected, quarantine }, options),
    ...skillReaders(agent, { ...options, collected }),
  };
}

function skillReaders(
  agent: ResolvedAgent,
  { collected, config, skills }: { readonly collected: CollectedTools } & Pick<AgentDirectoryOptions, "config" | "skills">,
): Pick<AgentRuntime, "skills" | "skillsLeftOut" | "skillBody" | "commandFiles"> {
  const own = new AgentSkills({
    agent,
    skills,
    missingTool: (name, group) => {
      if (!collected.tools.some((tool) => tool.name === name)) return "this gateway has not loaded it";
      const layers = policyLayers(agent, config, { provider: "", group, senders: [], sandboxed: false, subagent: false });
      const removed = toolVerdicts(layers, name).find(({ admits }) => !admits);
      return removed === undefined ? undefined : `${removed.key} removes it`;
    },
  });
  return {
    skills: async (query) => own.list(query),
    skillsLeftOut: async (query) => own.leftOut(query),
    skillBody: async (skill, { signal }) => skills.readBody(skill, { signal }),
    commandFiles: async ({ signal }) => skills.commands({ workspace: agent.workspace, signal }),
  };
}

/** Settings of models that affect prompts: how they get tools, whether they think natively. */
function modelTraits({ models }: FactotumConfig): unknown {
  return Object.entries(models.providers).flatMap(([provider, { models: entries }]) =>
    entries.flatMap(({ id, tools, reasoning, thinkingLevels }) =>
      tools === undefined && reasoning === undefined && thinkingLevels === undefined
        ? []
        : [[provider, id, tools, reasoning, thinkingLevels]],
    ),
  );
}

/** An unusable fallback is skipped: the others can still be used. */
async function resolveFallback(
  reference: string,
  agentId: string,
  { models, logger }: AgentDirectoryOptions,
): Promise<ResolvedModel | undefined> {
  try {
    return await models.resolve(reference);
  } catch (error) {
    if (!ModelError.isInstance(error)) throw error;
    logger.warn("A fallback model cannot be used", { agent: agentId, model: reference, detail: error.message });
    return undefined;
  }
}

function fingerprint(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("hex").slice(0, 16);
}
