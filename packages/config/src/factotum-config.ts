import type { ChannelConfig } from "./schema/accounts.ts";
import type { AgentEntry } from "./schema/agents.ts";
import type { PlainSections } from "./schema/root.ts";

/** One agent with the defaults applied. */
export interface ResolvedAgent extends Omit<AgentEntry, "default"> {
  readonly isDefault: boolean;
  /** Absolute. */
  readonly workspace: string;
  readonly userTimezone: string;
}

/** The whole configuration with defaults applied: plain data. */
export interface FactotumConfig extends PlainSections {
  /** In the order of the file; only `main` if the file names none. Never empty, exactly one is the default. */
  readonly agents: readonly ResolvedAgent[];
  /** The agent for messages that no binding matches. */
  readonly defaultAgentId: string;
  /** Concurrent runs of the main lane. */
  readonly maxConcurrent: number;
  /** Only channels that the file names and this build has, and those that are always present. */
  readonly channels: Readonly<Record<string, ChannelConfig>>;
}
