import { withoutUndefined } from "@factotum/agent-contract";
import type { AgentTool, Logger, ModelInfo, SourceCommand, SourcePrompt, ToolSource } from "@factotum/agent-contract";
import { orderTools } from "@factotum/agent-core";
import type { FactotumConfig, GroupConfig, ResolvedAgent } from "@factotum/config";
import { CARRIERS } from "./deferred/carriers.ts";
import { deferTools } from "./deferred/defer-tools.ts";
import type { ToolSet } from "./deferred/defer-tools.ts";
import type { ResolvedModel } from "./model-source.ts";
import { policyLayers } from "./policy-layers.ts";
import type { PolicyOccasion } from "./policy-layers.ts";
import type { RunPlace } from "./run-place.ts";
import { filterTools, mayAdmit, toolVerdicts } from "./tool-policy.ts";
import type { ToolVerdict } from "./tool-policy.ts";
import type { ToolQuarantine } from "./tool-quarantine.ts";
import { collectTools } from "./tool-sources.ts";
import type { CollectedTools } from "./tool-sources.ts";

/** The tools, prompts and commands of one agent, and what the policy says of them. */
export interface AgentTools {
  /**
   * The tools that every layer of the policy allows, including the group's, and that the model supports. A fallback that does not accept one of them runs
   * without it, with the same single warning.
   */
  tools(options: {
    readonly model: ModelInfo;
    readonly fallbacks: readonly ResolvedModel[];
    readonly group: GroupConfig | undefined;
    /** All turns of the session are sandboxed. */
    readonly sandboxed: boolean;
    /** The session is a sub-agent's. */
    readonly subagent: boolean;
    /** Sources of the session alone. Their tools come after the agent's own, which keep their names. */
    readonly added?: readonly ToolSource[] | undefined;
  }): readonly AgentTool[];
  /** The same tools, divided into those of the request and those that the model reaches through `tool_search` and `tool_call`. */
  toolSet(options: Parameters<AgentTools["tools"]>[0]): ToolSet;
  /** The id of a tool's source; `core` for a built-in one. */
  toolSource(name: string, added?: readonly ToolSource[]): string;
  /** Whether a tool is built in. */
  toolOrigin(name: string, added?: readonly ToolSource[]): ReturnType<CollectedTools["originOf"]>;
  /** What each layer of the policy says of a tool of this name, widest layer first. It is allowed if every one of them admits it. */
  toolVerdicts(name: string, occasion: PolicyOccasion): readonly ToolVerdict[];
  /** All tools that were loaded, whatever the policy says of them. */
  loadedTools(): readonly AgentTool[];
  /** What the names of tools begin with whose sources are not known to have any yet. */
  unloadedPrefixes(): readonly string[];
  /**
   * Has sources find out which tools they have, as far as they can soon; not those whose tools the policy removes in any case. Call it before the tools of a
   * session are fixed. Never rejects.
   */
  prepareTools(
    place: Pick<RunPlace, "folder" | "sandbox">,
    options: { readonly occasion: PolicyOccasion; readonly added?: readonly ToolSource[] | undefined; readonly signal: AbortSignal },
  ): Promise<void>;
  /** The prompts of sources that the policy admits under their names. Of two with one name the first counts. */
  prompts(occasion: PolicyOccasion): readonly SourcePrompt[];
  /** The slash commands of sources. Of two with one name the first counts. */
  sourceCommands(): readonly SourceCommand[];
  /** Ids of the sources that cannot be used now. */
  brokenSources(): readonly string[];
}

interface AgentToolsOptions {
  readonly config: FactotumConfig;
  readonly toolSources: readonly ToolSource[];
  readonly logger: Logger;
}

/** Creates the tools of an agent from those of its sources. */
export function createAgentTools(
  agent: ResolvedAgent,
  { collected, quarantine }: { readonly collected: CollectedTools; readonly quarantine: ToolQuarantine },
  { config, toolSources: sources, logger }: AgentToolsOptions,
): AgentTools {
  // The senders of a run narrow its calls and not the block: that stays the same for the whole session.
  const layersOf = ({ model, group, sandboxed, subagent }: Parameters<AgentTools["tools"]>[0]): ReturnType<typeof policyLayers> =>
    policyLayers(agent, config, { provider: model.provider, group, senders: [], sandboxed, subagent });
  const extended = new WeakMap<readonly ToolSource[], CollectedTools>();
  const collectedWith = (added: readonly ToolSource[] | undefined): CollectedTools => {
    if (added === undefined || added.length === 0) return collected;
    const all = extended.get(added) ?? collectTools([...sources, ...added], { logger });
    extended.set(added, all);
    return all;
  };
  const admittedTools: AgentTools["tools"] = (asked) => {
    const { tools, originOf } = collectedWith(asked.added);
    const ordered = orderTools(
      filterTools(tools, layersOf(asked)).tools.map((tool) => ({ tool, name: tool.name, origin: originOf(tool.name) })),
    );
    const admitted = quarantine.admit(
      ordered.map(({ tool }) => tool),
      asked.model,
    );
    for (const { client } of asked.fallbacks) quarantine.admit(admitted, client.info);
    return admitted;
  };
  return {
    tools: admittedTools,
    toolSet: (asked) => {
      const layers = layersOf(asked);
      const isReachable = CARRIERS.every((name) => toolVerdicts(layers, name).every(({ admits }) => admits));
      return deferTools(admittedTools(asked), { sourceOf: collectedWith(asked.added).sourceOf, isReachable });
    },
    toolSource: (name, added) => collectedWith(added).sourceOf(name),
    toolOrigin: (name, added) => collectedWith(added).originOf(name),
    toolVerdicts: (name, occasion) => toolVerdicts(policyLayers(agent, config, occasion), name),
    loadedTools: () => collected.tools,
    unloadedPrefixes: () => sources.flatMap(({ namePrefix, tools }) => (namePrefix === undefined || tools.length > 0 ? [] : namePrefix)),
    prepareTools: async ({ folder, sandbox }, { occasion, added = [], signal }) => {
      const place = { agentId: agent.id, workspace: folder, ...withoutUndefined({ sandbox }), signal };
      const layers = policyLayers(agent, config, occasion);
      const wanted = [...sources, ...added].filter(({ namePrefix = "" }) => mayAdmit(layers, namePrefix));
      await Promise.all(wanted.map(async (source) => source.prepare?.(place)));
    },
    prompts: (occasion) => {
      const layers = policyLayers(agent, config, occasion);
      return sources.flatMap(({ prompts = [] }) => prompts).filter(({ name }) => toolVerdicts(layers, name).every(({ admits }) => admits));
    },
    sourceCommands: () => sources.flatMap(({ commands = [] }) => commands),
    brokenSources: () => sources.filter(({ problem }) => problem !== undefined).map(({ id }) => id),
  };
}
