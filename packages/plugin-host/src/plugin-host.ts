import { isDeepStrictEqual } from "node:util";
import type { AgentTool, MemoryProvider, ToolSource } from "@factotum/agent-contract";
import { HOOKS, type HookName, type HookPayloads } from "@factotum/plugin";
import { createPluginCommand } from "./create-command.ts";
import { createPluginTool } from "./create-tool.ts";
import { fetchEmbeddings } from "./fetch-embeddings.ts";
import { fetchModels, type ModelFetchInit } from "./fetch-models.ts";
import { HostedPlugin } from "./hosted-plugin.ts";
import type { InstalledPlugin, PluginHostOptions } from "./installed-plugin.ts";
import { createPluginMemory } from "./plugin-memory.ts";
import { PluginPlaces } from "./plugin-places.ts";
import { PluginRoutes, type HostedRoute } from "./plugin-routes.ts";

/** Isolated plugins that may have a process at once. */
const MAX_ALIVE = 4;

/** The handlers of one plugin. */
export interface PluginHooks {
  /** For the owner: `plugin audit-log`. */
  readonly owner: string;
  /** Text that it gives counts as the owner's (R23). */
  readonly trusted: boolean;
  readonly hooks: readonly { readonly name: HookName; readonly priority: number }[];
  /** Calls a handler. Rejects with an error that says why there is no answer, within the hook's limit and the time of a start. */
  call<Name extends HookName>(name: Name, payload: HookPayloads[Name], options: { readonly signal: AbortSignal }): Promise<unknown>;
}

/** The plugins of a gateway. They outlive a configuration: a change restarts only those whose manifest or settings are different. */
export class PluginHost {
  readonly #options: PluginHostOptions;
  readonly #places = new PluginPlaces(MAX_ALIVE);
  readonly #routes = new WeakMap<HostedPlugin, PluginRoutes>();
  readonly #ends = new Set<Promise<void>>();
  #hosted: readonly HostedPlugin[] = [];
  #isClosed = false;

  /** Nothing is started before the first call. */
  constructor(options: PluginHostOptions) {
    this.#options = options;
  }

  /** Number of isolated plugins with a process. */
  get alive(): number {
    return this.#places.taken;
  }

  /** Uses these plugins from now on, in the order of their ids, and stops those that are not among them. */
  apply(plugins: readonly InstalledPlugin[]): void {
    const before = this.#hosted;
    const wanted = this.#isClosed ? [] : plugins.toSorted((one, other) => (one.id < other.id ? -1 : 1));
    this.#hosted = wanted.map(
      (plugin) => before.find((one) => isDeepStrictEqual(one.plugin, plugin)) ?? new HostedPlugin(plugin, this.#options, this.#places),
    );
    for (const one of before) if (!this.#hosted.includes(one)) this.#retire(one);
  }

  /** The tools and slash commands of the plugins, a source each. */
  sources(): readonly ToolSource[] {
    const { hideSecrets, decorate = (tools: readonly AgentTool[]) => tools } = this.#options;
    return this.#hosted.map((one) => {
      const tools = decorate(one.plugin.tools.map((tool) => createPluginTool(tool, one, hideSecrets)));
      return {
        id: `plugin:${one.plugin.id}`,
        tools,
        commands: one.plugin.commands.map((command) => createPluginCommand(command, one, hideSecrets)),
        get problem(): string | undefined {
          return one.problem;
        },
      };
    });
  }

  /** The handlers of the plugins, in the order of their ids. */
  hooks(): readonly PluginHooks[] {
    return this.#hosted.flatMap((one) => (one.plugin.hooks.length === 0 ? [] : [hooksOf(one, this.#options.hideSecrets)]));
  }

  /** Answers a streaming request of OpenAI's Chat Completions API with the models of a plugin; `undefined` if no plugin of this id has any. */
  fetchModels(id: string, init: ModelFetchInit): Response | undefined {
    const one = this.#hosted.find(({ plugin }) => plugin.id === id && plugin.roles.includes("models"));
    return one === undefined ? undefined : fetchModels(one, init, this.#options.hideSecrets);
  }

  /** Answers a request of OpenAI's Embeddings API with the models of a plugin; `undefined` if no plugin of this id has any. */
  fetchEmbeddings(id: string, init: ModelFetchInit): Promise<Response> | undefined {
    const one = this.#hosted.find(({ plugin }) => plugin.id === id && plugin.roles.includes("models"));
    return one === undefined ? undefined : fetchEmbeddings(one, init, this.#options.hideSecrets);
  }

  /** The memory that a plugin is; `undefined` if no plugin of this id is one. */
  memory(id: string): MemoryProvider | undefined {
    const one = this.#hosted.find(({ plugin }) => plugin.id === id && plugin.roles.includes("memory"));
    return one === undefined ? undefined : createPluginMemory(one, this.#options.hideSecrets);
  }

  /** The routes of a plugin; none for an unknown id. */
  routes(id: string): readonly HostedRoute[] {
    const one = this.#hosted.find(({ plugin }) => plugin.id === id);
    if (one === undefined) return [];
    const routes = this.#routes.get(one) ?? new PluginRoutes(one, this.#options);
    this.#routes.set(one, routes);
    return routes.list();
  }

  /** Ends all plugins. Resolves when nothing of them runs. From then on none starts. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const one of this.#hosted) this.#retire(one);
    await Promise.all(this.#ends);
  }

  #retire(one: HostedPlugin): void {
    const ending = one.close();
    this.#ends.add(ending);
    void ending.finally(() => this.#ends.delete(ending));
  }
}

function hooksOf(one: HostedPlugin, hideSecrets: (text: string) => string): PluginHooks {
  const { id, trusted, hooks } = one.plugin;
  return {
    owner: `plugin ${id}`,
    trusted,
    hooks: hooks.map(({ name, priority = HOOKS[name].priority }) => ({ name, priority })),
    call: async (name, payload, { signal }) => {
      const options = { timeoutMs: HOOKS[name].timeoutMs, signal, isOwnFailure: true };
      return withoutSecrets(await one.call({ type: "hook", name, payload: payload as never }, options), hideSecrets);
    },
  };
}

/** Answers of hooks reach prompts, transcripts and chats. */
function withoutSecrets(answer: unknown, hideSecrets: (text: string) => string): unknown {
  if (typeof answer === "string") return hideSecrets(answer);
  if (Array.isArray(answer)) return answer.map((one) => withoutSecrets(one, hideSecrets));
  if (typeof answer !== "object" || answer === null) return answer;
  return Object.fromEntries(Object.entries(answer).map(([key, value]) => [key, withoutSecrets(value, hideSecrets)]));
}
