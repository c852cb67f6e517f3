import type { Clock, CommandRunner, ExternalAgentView } from "@factotum/agent-contract";

/** A tool server (MCP) of the configuration that an agent gets. Secrets are those that `readSecret` resolves. */
export type AgentServer = { readonly name: string } & (
  | {
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, unknown>>;
      /** Absolute. Absent: where the agent starts it. */
      readonly cwd?: string | undefined;
    }
  | {
      readonly url: string;
      readonly transport: "streamable-http" | "sse";
      readonly headers: Readonly<Record<string, unknown>>;
      /** Bearer token. */
      readonly auth?: unknown;
    }
);

/** An agent of the configuration. */
export interface AgentSettings {
  readonly command: string;
  readonly args: readonly string[];
  /** Secrets of the configuration, which `readSecret` resolves. */
  readonly env: Readonly<Record<string, unknown>>;
  /** Absolute. Absent: the folder of the conversation. */
  readonly cwd?: string | undefined;
  /** Tool servers that it starts and calls itself. None if omitted. */
  readonly mcpServers?: readonly AgentServer[];
}

/** Dependencies of external agents. */
export interface AcpAgentsOptions {
  /** The agents of the current configuration, by id. */
  readonly settings: () => Readonly<Record<string, AgentSettings>>;
  /** Starts the processes, records them, and ends all of their groups. */
  readonly runner: CommandRunner;
  readonly clock: Clock;
  /** Of this program, for the agents. */
  readonly version: string;
  /** Folders in which programs are looked for: the variable PATH. */
  readonly searchPath: string;
  /** Rejects for a secret that is not there. */
  readonly readSecret: (secret: unknown) => Promise<string>;
  /** True if the gateway has logged in at a tool server, which an agent could not. Never, if omitted. */
  readonly hasLogin?: (server: string) => Promise<boolean>;
  /** Removes secrets from texts of errors, and from what agents say about calls of their own. */
  readonly hideSecrets: (text: string) => string;
  readonly limits?: Partial<AgentLimits>;
}

/** Times in milliseconds, and counts. */
export interface AgentLimits {
  /** For the start with its handshake; packages that are fetched first take long. */
  readonly startMs: number;
  /** For `session/new` and `session/load`. */
  readonly openMs: number;
  /** How long an agent may take to end a prompt that was cancelled, before its process is ended. */
  readonly cancelMs: number;
  /** How long an agent runs without a prompt, if it can load its conversation. */
  readonly idleMs: number;
  /** The same for one that cannot: its conversation ends with the process. */
  readonly keptMs: number;
  /** Agents that run at the same time; another one takes the place of one that rests. */
  readonly agents: number;
}

/** The limits that hold without others. */
export const AGENT_LIMITS: AgentLimits = {
  startMs: 60_000,
  openMs: 60_000,
  cancelMs: 5_000,
  idleMs: 10 * 60_000,
  keptMs: 24 * 60 * 60_000,
  agents: 16,
};

/** The state of a running agent, without its place. */
export type AgentState = ExternalAgentView["state"];
