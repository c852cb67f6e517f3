import type { Clock, CommandRunner, ExternalAgentView } from "@factotum/agent-contract";

/** An agent of the configuration. */
export interface AgentSettings {
  readonly command: string;
  readonly args: readonly string[];
  /** Secrets of the configuration, which `readSecret` resolves. */
  readonly env: Readonly<Record<string, unknown>>;
  /** Absolute. Absent: the folder of the conversation. */
  readonly cwd?: string | undefined;
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
  /** Removes secrets from texts of errors. */
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
