import * as z from "zod";
import { ToolPolicySchema, type ToolPolicy } from "./tools.ts";
import { AmountSchema, CountSchema, PlatformIdSchema, SecondsSchema, TextSchema } from "./values.ts";

/** The settings of one group. */
export interface GroupConfig {
  readonly requireMention: boolean;
  /** Absent: every member. Empty: no one but the owner. */
  readonly allowFrom?: readonly string[] | undefined;
  readonly tools?: ToolPolicy | undefined;
  /** By sender. Refused until it is enforced. */
  readonly toolsBySender?: Readonly<Record<string, ToolPolicy>> | undefined;
  readonly skills?: readonly string[] | undefined;
  readonly systemPrompt?: string | undefined;
}

/** The keys that every account of every platform has. */
export interface CommonAccountConfig {
  readonly enabled: boolean;
  readonly dmPolicy: "pairing" | "allowlist" | "open" | "disabled";
  readonly allowFrom: readonly string[];
  readonly groupPolicy: "allowlist" | "open" | "disabled";
  readonly groups: Readonly<Record<string, GroupConfig>>;
  /** Whether other bots are admitted, by the same lists as people: never, only when they mention the assistant, or as people are. */
  readonly allowBots: boolean | "mentions";
  /** More than `maxMessages` of one bot in one conversation within the window stop that bot there for the cooldown. */
  readonly botLoop: { readonly maxMessages: number; readonly windowSeconds: number; readonly cooldownSeconds: number };
  /** Number of user turns sent to the model; absent or 0: all. */
  readonly historyLimit: {
    readonly direct?: number | undefined;
    readonly group?: number | undefined;
    readonly thread?: number | undefined;
  };
  readonly blockStreaming: boolean;
  readonly streaming: { readonly mode?: "off" | "partial" | "block" | "progress" | undefined };
  readonly reactionNotifications: "off" | "own" | "all";
  readonly replyToMode?: "off" | "first" | "all" | undefined;
  /** Lower than the platform's own limit, in its unit. */
  readonly textChunkLimit?: number | undefined;
}

/** One account of one platform. */
export interface AccountConfig extends CommonAccountConfig {
  readonly channel: string;
  readonly accountId: string;
  /** The platform's own keys as written: secrets are not resolved, unknown keys are removed. `resolveAccountSettings` prepares them for the extension's schema. */
  readonly settings: Readonly<Record<string, unknown>>;
}

/** One channel and its accounts, by id. An account of the short form is `default`. */
export interface ChannelConfig {
  readonly accounts: Readonly<Record<string, AccountConfig>>;
}

const GroupSchema: z.ZodType<GroupConfig> = z.strictObject({
  requireMention: z.boolean().default(true),
  allowFrom: z.array(PlatformIdSchema).optional(),
  tools: ToolPolicySchema.optional(),
  toolsBySender: z.record(TextSchema, ToolPolicySchema).optional(),
  skills: z.array(TextSchema).optional(),
  systemPrompt: TextSchema.optional(),
});

/** Parses the common keys of an account. */
export const CommonAccountSchema: z.ZodType<CommonAccountConfig> & { readonly shape: Readonly<Record<string, z.ZodType>> } = z.strictObject(
  {
    enabled: z.boolean().default(true),
    dmPolicy: z.enum(["pairing", "allowlist", "open", "disabled"]).default("pairing"),
    allowFrom: z.array(PlatformIdSchema).default([]),
    groupPolicy: z.enum(["allowlist", "open", "disabled"]).default("allowlist"),
    groups: z.record(TextSchema, GroupSchema).default({}),
    allowBots: z.union([z.boolean(), z.literal("mentions")]).default(false),
    botLoop: z
      .strictObject({
        maxMessages: z.int().min(1).max(1000).default(20),
        windowSeconds: SecondsSchema.default(60),
        cooldownSeconds: SecondsSchema.default(60),
      })
      .prefault({}),
    historyLimit: z
      .strictObject({ direct: AmountSchema.optional(), group: AmountSchema.optional(), thread: AmountSchema.optional() })
      .prefault({}),
    blockStreaming: z.boolean().default(false),
    streaming: z.strictObject({ mode: z.enum(["off", "partial", "block", "progress"]).optional() }).prefault({}),
    reactionNotifications: z.enum(["off", "own", "all"]).default("own"),
    replyToMode: z.enum(["off", "first", "all"]).optional(),
    textChunkLimit: CountSchema.optional(),
  },
);
