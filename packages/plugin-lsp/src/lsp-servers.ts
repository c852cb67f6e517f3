import type { AgentTool, ChangeChecker, ToolSource } from "@factotum/agent-contract";
import { AbilityStore } from "./ability-store.ts";
import { createChangeChecker } from "./change-checker.ts";
import { KNOWN_SERVERS } from "./known-servers.ts";
import { extensionOf } from "./languages.ts";
import { fingerprintOf, LspServer } from "./lsp-server.ts";
import type { LspLimits, LspOptions } from "./ports.ts";
import { ServerCap } from "./server-cap.ts";
import type { ServerSettings } from "./server-settings.ts";

/** Limits before the first configuration. */
const NO_LIMITS: LspLimits = { idleMs: 600_000, maxServers: 4, workspacePrograms: false, changeDiagnostics: true };

/** The language servers of a gateway. They outlive a configuration: a change restarts only those whose settings are different. */
export class LspServers {
  readonly #options: LspOptions;
  readonly #store: AbilityStore;
  readonly #cap: ServerCap;
  #limits = NO_LIMITS;
  #servers: ReadonlyMap<string, LspServer> = new Map();
  readonly #ends = new Set<Promise<void>>();
  #isClosed = false;
  /** For tools that change files. */
  readonly changes: ChangeChecker;

  /** Nothing is loaded or started before the first use of a server. */
  constructor(options: LspOptions) {
    this.#options = options;
    this.#store = new AbilityStore(options.folder);
    this.#cap = new ServerCap(() => this.#limits.maxServers);
    this.changes = createChangeChecker({
      clock: options.clock,
      isEnabled: () => this.#limits.changeDiagnostics,
      serverOf: (path, workspace) => this.#serverOf(path, workspace),
      hideSecrets: options.hideSecrets,
    });
  }

  /** The sources of tools under these settings, one for each server, and stops the servers that are no longer among them. */
  sources(settings: Readonly<Record<string, ServerSettings>>, limits: LspLimits): readonly ToolSource[] {
    this.#limits = limits;
    const next = new Map<string, LspServer>();
    for (const [name, one] of Object.entries(settings)) {
      const known = this.#servers.get(name);
      const isKept = known !== undefined && known.fingerprint === fingerprintOf(one);
      const parts = { ...this.#options, store: this.#store, cap: this.#cap, limits: () => this.#limits };
      next.set(name, isKept ? known : new LspServer(name, one, parts));
    }
    for (const [name, server] of this.#servers) if (next.get(name) !== server) this.#retire(server);
    this.#servers = this.#isClosed ? new Map() : next;
    // Also without servers: those of a removed package may have left something.
    void this.#store
      .keepOnly([...next.keys()])
      .catch((error: unknown) => this.#options.logger.warn("What is known of old language servers could not be removed", { error }));
    return [...next.values()].map(sourceOf);
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

  /** The first server that serves a file, and whose program there is. */
  #serverOf(path: string, workspace: string): LspServer | undefined {
    if (extensionOf(path) === "") return undefined;
    return [...this.#servers.values()].find((server) => server.serves(path) && server.isInstalled(workspace));
  }

  #retire(server: LspServer): void {
    const ending = server.close();
    this.#ends.add(ending);
    void ending.finally(() => this.#ends.delete(ending));
  }
}

/** The well-known servers of languages that no configured server has, by name. They are used if their programs are found. */
export function knownServerSettings(configured: Readonly<Record<string, ServerSettings>>): Readonly<Record<string, ServerSettings>> {
  const taken = new Set(Object.values(configured).flatMap(({ languages }) => languages));
  return Object.fromEntries(
    KNOWN_SERVERS.filter(({ name, languages: [language = ""] }) => !taken.has(language) && configured[name] === undefined).map(
      ({ name, languages, rootMarkers, programs, initializationOptions, settings = {} }) => [
        name,
        {
          programs,
          isDetected: true,
          env: {},
          languages,
          extensions: {},
          rootMarkers,
          initializationOptions,
          settings,
          sandbox: { mode: "inherit", network: "none", workspace: "ro" },
        } satisfies ServerSettings,
      ],
    ),
  );
}

function sourceOf(server: LspServer): ToolSource {
  return {
    id: `lsp:${server.name}`,
    get tools(): readonly AgentTool[] {
      return server.tools;
    },
    get problem(): string | undefined {
      return server.problem;
    },
    prepare: async ({ signal, ...place }) => server.prepare(place, signal),
  };
}
