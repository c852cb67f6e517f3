import type { AgentTool, Clock, CommandRunner, JsonValue, Logger, ModelSampler, Questioner, RunFacts } from "@factotum/agent-contract";

/** Where a server works for: its processes are shared by all runs of the same place. */
export type McpPlace = Pick<RunFacts, "agentId" | "workspace" | "sandbox">;

/** Where logins at servers (OAuth) are kept, and how the addresses that they are about are reached. */
export interface LoginPorts {
  /** The kept text for a server of this name; `undefined` without one. */
  readonly read: (server: string) => Promise<string | undefined>;
  /** Replaces it, in a file that this account alone can read. */
  readonly write: (server: string, text: string) => Promise<void>;
  /** From now on these values are hidden wherever text leaves the process. */
  readonly addSecrets: (values: readonly string[]) => void;
  /** Reaches public addresses alone. Follows no redirect to another origin. */
  readonly fetchPublic: (url: string | URL, init?: RequestInit) => Promise<Response>;
}

/** What the servers of a gateway need. */
export interface McpOptions {
  /** Runs local servers, each in the sandbox of its run facts. */
  readonly runner: CommandRunner;
  /** Follows no redirect. */
  readonly fetch: (url: string | URL, init?: RequestInit) => Promise<Response>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The version of the product, for servers. */
  readonly version: string;
  /** Reads a secret; rejects with why it has no value. */
  readonly readSecret: (reference: JsonValue) => Promise<string>;
  readonly logins: LoginPorts;
  /** Folder for the lists of tools; absolute, used by this process alone, created on demand. */
  readonly folder: string;
  /** Makes the folder in which a sandboxed server without a workspace works, and names it. `name` has letters, digits and `-` alone. */
  readonly makeFolder: (name: string) => Promise<string>;
  /** Replaces secrets in texts that servers have written. */
  readonly hideSecrets: (text: string) => string;
  /** Asks users what servers want to know. Absent: no one can be asked. */
  readonly questioner?: Questioner;
  /** Has models write for servers. Absent: none does. */
  readonly sampler?: ModelSampler;
  /** Wraps the tools that models get. */
  readonly decorate?: (tools: readonly AgentTool[]) => readonly AgentTool[];
  /** A server without calls is stopped after this time. Default 10 minutes. */
  readonly idleMs?: number;
  /** How long a session waits for the lists of servers that were never started. Default 15 seconds. */
  readonly firstListMs?: number;
}
