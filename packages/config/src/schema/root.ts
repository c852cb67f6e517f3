import * as z from "zod";
import { AcpSchema, type AcpConfig } from "./acp.ts";
import { AgentDefaultsSchema, AgentEntrySchema, type AgentDefaults, type AgentEntry } from "./agents.ts";
import { BindingSchema, type BindingConfig } from "./bindings.ts";
import { BroadcastSchema, type BroadcastConfig } from "./broadcast.ts";
import { CommandHookSchema, type CommandHook } from "./command-hooks.ts";
import { CronSchema, type CronConfig } from "./cron.ts";
import { GatewaySchema, type GatewayConfig } from "./gateway.ts";
import { LspSchema, type LspConfig } from "./lsp.ts";
import { McpServerSchema, type McpServerConfig } from "./mcp-servers.ts";
import { MemorySchema, type MemoryConfig } from "./memory.ts";
import { MessagesSchema, type MessagesConfig } from "./messages.ts";
import { ModelsSchema, type ModelsConfig } from "./models.ts";
import { PluginsSchema, type PluginsConfig } from "./plugins.ts";
import { SecretSchema, type Secret } from "./secret.ts";
import { SessionSchema, type SessionConfig } from "./session.ts";
import { SkillsSchema, type SkillsConfig } from "./skills.ts";
import { SpendSchema, type SpendConfig } from "./spend.ts";
import { ToolsSchema, type ToolsConfig } from "./tools.ts";
import { FreeSchema, texts, TextSchema } from "./values.ts";
import { WebhooksSchema, type WebhooksConfig } from "./webhooks.ts";

/** Who may give owner commands from a channel. */
export interface CommandsConfig {
  /** `channel:id` or `channel/account:id`, compared exactly. */
  readonly ownerAllowFrom: readonly string[];
  /** Key of the digests that represent owners in a prompt. */
  readonly ownerDisplaySecret?: Secret | undefined;
}

/** The settings that need no further resolving: the same in the file and in `FactotumConfig`. */
export interface PlainSections {
  readonly gateway: GatewayConfig;
  readonly session: SessionConfig;
  readonly messages: MessagesConfig;
  readonly tools: ToolsConfig;
  readonly commands: CommandsConfig;
  readonly bindings: readonly BindingConfig[];
  readonly broadcast: BroadcastConfig;
  readonly models: ModelsConfig;
  readonly skills: SkillsConfig;
  readonly mcp: { readonly servers: Readonly<Record<string, McpServerConfig>> };
  readonly lsp: LspConfig;
  readonly commandHooks: readonly CommandHook[];
  readonly plugins: PluginsConfig;
  readonly spend: SpendConfig;
  readonly cron: CronConfig;
  readonly hooks: WebhooksConfig;
  readonly memory: MemoryConfig;
  readonly acp: AcpConfig;
}

/** The whole file, parsed. Accounts are parsed separately: their schemas belong to the installed extensions. */
export interface ConfigDocument extends PlainSections {
  readonly agents: { readonly defaults: AgentDefaults; readonly list: readonly AgentEntry[] };
  readonly channels: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

const OwnerSchema = texts("channel:id is expected, such as feishu:ou_881e, or channel/account:id", /^[a-z0-9_-]+(?:\/[^:]+)?:.+$/u);

const CommandsSchema: z.ZodType<CommandsConfig> = z
  .strictObject({
    ownerAllowFrom: z
      .array(OwnerSchema)
      .default([])
      .describe(
        "Who is the owner on a channel, as `channel:id`, or as `channel/account:id` on one account; compared exactly. Where each account has ids of its own, the first form is the account `default` alone: see access.md.",
      ),
    ownerDisplaySecret: SecretSchema.optional().describe("Key of the digests that stand for owners in a prompt."),
  })
  .describe("Who commands the gateway from a chat.");

/** Parses everything except the accounts of channels. */
export const ConfigDocumentSchema: z.ZodType<ConfigDocument> = z.strictObject({
  gateway: GatewaySchema.prefault({}),
  agents: z
    .strictObject({
      defaults: AgentDefaultsSchema.prefault({}),
      list: z.array(AgentEntrySchema).default([]).describe("The agents. Empty: one agent, `main`, with the defaults."),
    })
    .prefault({})
    .describe("The agents: who they are, which model they use, and how they work."),
  session: SessionSchema.prefault({}),
  messages: MessagesSchema.prefault({}),
  tools: ToolsSchema.prefault({}),
  commands: CommandsSchema.prefault({}),
  channels: z.record(TextSchema, FreeSchema).default({}).describe("The chat platforms and their accounts."),
  bindings: z.array(BindingSchema).default([]).describe("Which agent answers where. What nothing matches goes to the default agent."),
  broadcast: BroadcastSchema.prefault({}),
  models: ModelsSchema.prefault({}),
  skills: SkillsSchema.prefault({}),
  mcp: z
    .strictObject({ servers: z.record(TextSchema, McpServerSchema).default({}).describe("The servers, by name.") })
    .prefault({})
    .describe("Servers of tools that speak MCP."),
  lsp: LspSchema.prefault({}),
  commandHooks: z.array(CommandHookSchema).default([]).describe("Commands that can deny an action."),
  plugins: PluginsSchema.prefault({}),
  spend: SpendSchema.prefault({}),
  cron: CronSchema.prefault({}),
  hooks: WebhooksSchema.prefault({}),
  memory: MemorySchema.prefault({}),
  acp: AcpSchema.prefault({}),
});
