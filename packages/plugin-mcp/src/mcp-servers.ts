import type { AgentTool, SourcePrompt, ToolSource } from "@factotum/agent-contract";
import { ListStore } from "./list-store.ts";
import { McpServer } from "./mcp-server.ts";
import { ServerLogins } from "./oauth/server-logins.ts";
import type { McpOptions, McpPlace } from "./ports.ts";
import { fingerprintOf, type ServerSettings } from "./server-settings.ts";
import { namePrefix } from "./tool-names.ts";

/** What came of a server that was started again. */
export interface Reconnected {
  /** Names of its tools, as models see them. */
  readonly tools: readonly string[];
  /** Why it cannot be used. */
  readonly problem?: string;
}

/** The MCP servers of a gateway. They outlive a configuration: a change restarts only those whose settings are different. */
export class McpServers {
  readonly #options: McpOptions;
  readonly #store: ListStore;
  readonly #serverLogins: ServerLogins;
  #servers: ReadonlyMap<string, McpServer> = new Map();
  readonly #ends = new Set<Promise<void>>();
  #isClosed = false;

  /** Nothing is loaded or started before the first session or call that needs a server. */
  constructor(options: McpOptions) {
    this.#options = options;
    this.#store = new ListStore(options.folder);
    this.#serverLogins = new ServerLogins(options);
  }

  /** The sources of tools under these settings, one for each server, and stops the servers that are no longer among them. */
  sources(settings: Readonly<Record<string, ServerSettings>>): readonly ToolSource[] {
    const next = new Map<string, McpServer>();
    for (const [name, one] of Object.entries(settings)) {
      const known = this.#servers.get(name);
      const isKept = known !== undefined && known.fingerprint === fingerprintOf(one);
      if (isKept) known.forgetLogin();
      next.set(name, isKept ? known : new McpServer(name, one, { ...this.#options, store: this.#store, serverLogins: this.#serverLogins }));
    }
    for (const [name, server] of this.#servers) if (next.get(name) !== server) this.#retire(server);
    this.#servers = this.#isClosed ? new Map() : next;
    // Also without servers: those of a removed package may have left something.
    void this.#store
      .keepOnly([...next.keys()])
      .catch((error: unknown) => this.#options.logger.warn("Old lists of MCP servers could not be removed", { error }));
    return [...next.values()].map(sourceOf);
  }

  /** Ends what runs of a server, and starts it for a place at once. `undefined` if there is no such server. Never rejects. */
  async reconnect(name: string, place: McpPlace): Promise<Reconnected | undefined> {
    const server = this.#servers.get(name);
    if (server === undefined) return undefined;
    const problem = await server.reconnect(place);
    return { tools: server.tools.map((tool) => tool.name), ...(problem === undefined ? {} : { problem }) };
  }

  /** Why servers cannot be used now, by name. */
  problems(): ReadonlyMap<string, string> {
    return new Map([...this.#servers.values()].flatMap(({ name, problem }) => (problem === undefined ? [] : [[name, problem] as const])));
  }

  /** Stops all of them. From then on none starts. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const server of this.#servers.values()) this.#retire(server);
    await Promise.all(this.#ends);
  }

  #retire(server: McpServer): void {
    const ending = server.close();
    this.#ends.add(ending);
    void ending.finally(() => this.#ends.delete(ending));
  }
}

function sourceOf(server: McpServer): ToolSource {
  return {
    id: `mcp:${server.name}`,
    namePrefix: namePrefix(server.name),
    get tools(): readonly AgentTool[] {
      return server.tools;
    },
    get prompts(): readonly SourcePrompt[] {
      return server.prompts;
    },
    get problem(): string | undefined {
      return server.problem;
    },
    prepare: async ({ signal, ...place }) => server.prepare(place, signal),
  };
}
