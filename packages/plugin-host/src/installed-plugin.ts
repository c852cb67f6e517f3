import type { AgentTool, Clock, CommandRunner, JsonObject, JsonSchema, Logger } from "@factotum/agent-contract";
import type { PluginRole } from "./child/messages.ts";
import type { HookName, PluginJson, PluginResponse, PluginRouteMethod } from "@factotum/plugin";

/** A tool as a manifest declares it. */
export interface DeclaredTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonSchema;
  /** What its calls do. Counts for trusted plugins alone. */
  readonly effect: "read" | "write";
}

/** A hook that a plugin handles. */
export interface DeclaredHook {
  readonly name: HookName;
  /** Default: that of the table of hooks. */
  readonly priority?: number | undefined;
}

/** A slash command as a manifest declares it. */
export interface DeclaredCommand {
  /** Without the slash. */
  readonly name: string;
  readonly description: string;
  /** What to write after the name, such as `<city>`. */
  readonly argumentHint?: string | undefined;
}

/** A route as a manifest declares it. */
export interface DeclaredRoute {
  readonly method: PluginRouteMethod;
  /** Below `/plugins/<id>`: `/report`, or `/files/*` for everything below `/files/`. */
  readonly path: string;
  /** Everyone may use it, and not the owner alone. */
  readonly public: boolean;
}

/** An installed plugin that is switched on, as its manifest and the configuration describe it. */
export interface InstalledPlugin {
  readonly id: string;
  readonly packageName: string;
  readonly version: string;
  /** The folder of its package; absolute. */
  readonly folder: string;
  /** Absolute. */
  readonly entry: string;
  readonly tools: readonly DeclaredTool[];
  readonly hooks: readonly DeclaredHook[];
  readonly commands: readonly DeclaredCommand[];
  readonly routes: readonly DeclaredRoute[];
  /** What it is as a whole: it answers for models, or it is a memory. */
  readonly roles: readonly PluginRole[];
  /** Hosts that it may request: names, `*.name`, or `*`, each with an optional port. */
  readonly hosts: readonly string[];
  /** Names of the secrets that it declares. */
  readonly secrets: readonly string[];
  /** The workspaces that it may read, by agent; absolute. */
  readonly workspaces: Readonly<Record<string, string>>;
  /** It may run programs, where something holds them. */
  readonly mayRun: boolean;
  /** Its process is stopped after this time without calls. Default: that of the host. */
  readonly idleMs?: number;
  readonly config: JsonObject;
  /** It runs in the gateway's process, with the gateway's authority. */
  readonly trusted: boolean;
}

/** Durable rows of a plugin. */
export interface PluginRows {
  get(key: string): Promise<PluginJson | undefined>;
  keys(prefix: string): Promise<readonly string[]>;
  set(key: string, value: PluginJson): Promise<void>;
  delete(key: string): Promise<void>;
}

/** A request of a plugin to an address that its manifest allows. */
export interface PluginFetch {
  readonly url: string;
  readonly method: "GET" | "POST";
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

/** What the host needs. */
export interface PluginHostOptions {
  /** Starts the processes of isolated plugins, in a sandbox where one works. */
  readonly runner: CommandRunner;
  /** Why the programs that a plugin would start have no bounds here, in a few words; `undefined` if they have. */
  readonly whyNoPrograms: () => Promise<string | undefined>;
  /** The Node.js of the processes, and the program of a plugin's process; both absolute. */
  readonly node: string;
  readonly program: string;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly rowsOf: (id: string) => PluginRows;
  /** Requests a public address (R22). `allows` is asked for every address on the way, redirects included. Rejects with why there is no answer. */
  readonly fetch: (request: PluginFetch, allows: (url: URL) => boolean) => Promise<PluginResponse>;
  /** The value of a declared secret; `undefined` without one. */
  readonly readSecret: (name: string) => Promise<string | undefined>;
  /** Replaces secrets in texts of plugins. */
  readonly hideSecrets: (text: string) => string;
  /** Wraps the tools that models get. */
  readonly decorate?: (tools: readonly AgentTool[]) => readonly AgentTool[];
  /** A plugin without calls is stopped after this time. Default 2 minutes. */
  readonly idleMs?: number;
}
