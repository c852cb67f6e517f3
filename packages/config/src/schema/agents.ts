import { COMPACTION_DEFAULTS, THINKING_LEVELS, type ThinkingLevel } from "@factotum/agent-contract";
import * as z from "zod";
import { ToolPolicySchema, type ToolPolicy } from "./tools.ts";
import { AmountSchema, CountSchema, DurationSchema, IdSchema, SecondsSchema, texts, TextSchema, TimeZoneSchema } from "./values.ts";

/** The model of an agent and its fallbacks, as written references. */
export interface ModelChoice {
  readonly primary: string;
  readonly fallbacks: readonly string[];
}

/** How an agent runs unattended on a timer. */
export interface HeartbeatConfig {
  readonly every: string;
  readonly prompt?: string | undefined;
  readonly target: string;
  readonly model?: string | undefined;
  readonly lightContext: boolean;
  readonly isolatedSession: boolean;
  readonly activeHours?: { readonly start: string; readonly end: string; readonly timezone?: string | undefined } | undefined;
}

/** Where the commands of an agent run. */
export interface SandboxConfig {
  /**
   * Absent: commands run without a sandbox, and the files of other people and of groups are kept in separate folders. `off`: these work in the agent's
   * workspace too. The other two are refused until there is a sandbox.
   */
  readonly mode?: "off" | "non-main" | "all" | undefined;
  readonly scope: "session" | "agent" | "shared";
  readonly workspaceAccess: "none" | "ro" | "rw";
  /** Absent: `sandboxes` in the state directory. */
  readonly workspaceRoot?: string | undefined;
  readonly sessionToolsVisibility: "spawned" | "all";
  readonly backend: "bubblewrap" | "docker" | "podman";
  /** `none`, or the hosts that commands may reach. Refused until there is a sandbox. */
  readonly network?: string | { readonly allow: readonly string[] } | undefined;
}

/** The pause between the blocks of one answer: none, 800 to 2,500 ms, or these bounds. */
export interface HumanDelayConfig {
  readonly mode: "off" | "natural" | "custom";
  readonly minMs: number;
  readonly maxMs: number;
}

/** The settings of `agents.defaults` and `agents.list[]`, where the list takes precedence. */
export interface AgentRows {
  /** Absent: chosen from the environment. */
  readonly model?: ModelChoice | undefined;
  /** By reference. */
  readonly models: Readonly<Record<string, { readonly alias?: string | undefined; readonly params: Readonly<Record<string, unknown>> }>>;
  readonly workspace?: string | undefined;
  readonly systemPrompt?: string | undefined;
  readonly skipBootstrap: boolean;
  readonly bootstrapMaxChars: number;
  readonly bootstrapTotalMaxChars: number;
  /** Absent: the host's. */
  readonly userTimezone?: string | undefined;
  /** Absent: the model's own. */
  readonly thinking?: ThinkingLevel | undefined;
  readonly verbose: "off" | "on" | "full";
  readonly reasoning: "off" | "on" | "stream";
  /** One run; waiting for approvals does not count. */
  readonly timeoutSeconds: number;
  readonly tools: ToolPolicy;
  readonly skills: { readonly allow?: readonly string[] | undefined };
  readonly heartbeat: "off" | HeartbeatConfig;
  readonly sandbox: SandboxConfig;
  readonly subagents: {
    readonly allowAgents: readonly string[];
    readonly maxDepth: number;
    readonly maxChildren: number;
    readonly maxConcurrent: number;
    readonly tools: ToolPolicy;
  };
  readonly compaction: {
    readonly reserveTokens: number;
    readonly keepRecentTokens: number;
    readonly model?: string | undefined;
    readonly memoryFlush: boolean;
    readonly notifyUser: boolean;
  };
  readonly contextPruning: { readonly mode: "cache-ttl" | "off" };
  readonly blockStreamingDefault: "off" | "on";
  readonly blockStreamingBreak: "text_end" | "message_end";
  readonly blockStreamingChunk: { readonly minChars: number; readonly maxChars: number };
  readonly blockStreamingCoalesce: { readonly idleMs: number };
  readonly humanDelay: HumanDelayConfig;
}

/** One entry of `agents.list`. */
export interface AgentEntry extends AgentRows {
  readonly id: string;
  readonly name?: string | undefined;
  readonly default: boolean;
  readonly identity: { readonly name?: string | undefined; readonly emoji?: string | undefined };
}

/** `agents.defaults`. */
export interface AgentDefaults extends AgentRows {
  /** Concurrent runs of the main lane. Absent: min(16, max(8, cores)). */
  readonly maxConcurrent?: number | undefined;
}

const TimeOfDaySchema = texts('a time such as "08:30" is expected', /^(([01]\d|2[0-3]):[0-5]\d|24:00)$/);

const ModelChoiceSchema: z.ZodType<ModelChoice> = z.union([
  TextSchema.transform((primary) => ({ primary, fallbacks: [] })),
  z.strictObject({ primary: TextSchema, fallbacks: z.array(TextSchema).default([]) }),
]);

const HeartbeatSchema: z.ZodType<"off" | HeartbeatConfig> = z.union([
  z.literal("off"),
  z.strictObject({
    every: DurationSchema,
    prompt: TextSchema.optional(),
    target: TextSchema.default("owner"),
    model: TextSchema.optional(),
    lightContext: z.boolean().default(false),
    isolatedSession: z.boolean().default(false),
    activeHours: z.strictObject({ start: TimeOfDaySchema, end: TimeOfDaySchema, timezone: TimeZoneSchema.optional() }).optional(),
  }),
]);

const SandboxSchema: z.ZodType<SandboxConfig> = z.strictObject({
  mode: z.enum(["off", "non-main", "all"]).optional(),
  scope: z.enum(["session", "agent", "shared"]).default("session"),
  workspaceAccess: z.enum(["none", "ro", "rw"]).default("none"),
  workspaceRoot: TextSchema.optional(),
  sessionToolsVisibility: z.enum(["spawned", "all"]).default("spawned"),
  backend: z.enum(["bubblewrap", "docker", "podman"]).default("bubblewrap"),
  network: z.union([TextSchema, z.strictObject({ allow: z.array(TextSchema) })]).optional(),
});

const rows = {
  model: ModelChoiceSchema.optional(),
  models: z
    .record(TextSchema, z.strictObject({ alias: TextSchema.optional(), params: z.record(z.string(), z.unknown()).default({}) }))
    .default({}),
  workspace: TextSchema.optional(),
  systemPrompt: z.string().optional(),
  skipBootstrap: z.boolean().default(false),
  bootstrapMaxChars: CountSchema.default(20_000),
  bootstrapTotalMaxChars: CountSchema.default(60_000),
  userTimezone: TimeZoneSchema.optional(),
  thinking: z.enum(THINKING_LEVELS).optional(),
  verbose: z.enum(["off", "on", "full"]).default("off"),
  reasoning: z.enum(["off", "on", "stream"]).default("off"),
  timeoutSeconds: SecondsSchema.default(3600),
  tools: ToolPolicySchema.prefault({}),
  skills: z.strictObject({ allow: z.array(TextSchema).optional() }).prefault({}),
  heartbeat: HeartbeatSchema.prefault("off"),
  sandbox: SandboxSchema.prefault({}),
  subagents: z
    .strictObject({
      allowAgents: z.array(TextSchema).default([]),
      maxDepth: z.int().min(0).max(5).default(1),
      maxChildren: AmountSchema.default(5),
      maxConcurrent: CountSchema.default(8),
      tools: ToolPolicySchema.prefault({}),
    })
    .prefault({}),
  compaction: z
    .strictObject({
      reserveTokens: CountSchema.default(COMPACTION_DEFAULTS.reserveTokens),
      keepRecentTokens: CountSchema.default(COMPACTION_DEFAULTS.keepRecentTokens),
      model: TextSchema.optional(),
      memoryFlush: z.boolean().default(true),
      notifyUser: z.boolean().default(false),
    })
    .prefault({}),
  contextPruning: z.strictObject({ mode: z.enum(["cache-ttl", "off"]).default("cache-ttl") }).prefault({}),
  blockStreamingDefault: z.enum(["off", "on"]).default("off"),
  blockStreamingBreak: z.enum(["text_end", "message_end"]).default("text_end"),
  blockStreamingChunk: z.strictObject({ minChars: CountSchema.default(800), maxChars: CountSchema.default(1200) }).prefault({}),
  blockStreamingCoalesce: z.strictObject({ idleMs: AmountSchema.default(1000) }).prefault({}),
  humanDelay: z
    .strictObject({
      mode: z.enum(["off", "natural", "custom"]).default("off"),
      minMs: AmountSchema.default(800),
      maxMs: AmountSchema.default(2500),
    })
    .prefault({}),
};

/** Parses `agents.defaults`. */
export const AgentDefaultsSchema: z.ZodType<AgentDefaults> = z.strictObject({ ...rows, maxConcurrent: CountSchema.optional() });

/** Parses one entry of `agents.list`, or such an entry merged over the defaults. */
export const AgentEntrySchema: z.ZodType<AgentEntry> = z.strictObject({
  id: IdSchema,
  name: TextSchema.optional(),
  default: z.boolean().default(false),
  identity: z.strictObject({ name: TextSchema.optional(), emoji: TextSchema.optional() }).prefault({}),
  ...rows,
});
