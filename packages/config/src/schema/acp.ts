import * as z from "zod";
import { EnvSchema, type Secret } from "./secret.ts";
import { IdSchema, NamesSchema, TextSchema } from "./values.ts";

/** An agent of others, which speaks the Agent Client Protocol. */
interface AcpAgentConfig {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, Secret>>;
  readonly cwd?: string | undefined;
  readonly mcpServers: readonly string[];
}

/** Agents of others that this gateway may start. */
export interface AcpConfig {
  readonly enabled: boolean;
  readonly agents: Readonly<Record<string, AcpAgentConfig>>;
}

const AcpAgentSchema = z.strictObject({
  command: TextSchema.describe("Program of the agent. It runs on the host, outside of any sandbox."),
  args: z.array(z.string()).default([]).describe("Its arguments."),
  env: EnvSchema.default({}).describe(
    "Its environment variables. Of the gateway's it gets those that every program needs, and no secrets.",
  ),
  cwd: TextSchema.optional().describe("Folder in which it works. Unset: that of the conversation."),
  mcpServers: NamesSchema.default([]).describe(
    "Names of `mcp.servers` that it gets, with their variables, headers and tokens. It starts and calls them itself, and nothing is decided here.",
  ),
});

/** Parses `acp`. */
export const AcpSchema: z.ZodType<AcpConfig> = z
  .strictObject({
    enabled: z.boolean().default(true).describe("`false`: no agent of others is started."),
    agents: z.record(IdSchema, AcpAgentSchema).default({}).describe("The agents, by id. One that is not listed cannot be started."),
  })
  .describe("Agents of others that speak the Agent Client Protocol.");
