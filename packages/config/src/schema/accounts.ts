import * as z from "zod";
import { ToolPolicySchema, type ToolPolicy } from "./tools.ts";
import { AmountSchema, CountSchema, PlatformIdSchema, SecondsSchema, TextSchema } from "./values.ts";

/** The settings of one group. */
export interface GroupConfig {
  readonly requireMention: boolean;
  /** Absent: every member. Empty: no one but the owner. */
  readonly allowFrom?: readonly string[] | undefined;
  readonly tools?: ToolPolicy | undefined;
  /** By sender: `channel:<channel>:<id>`, `id:<id>` or `<id>`, and `*` for everybody else, the owner included. The most exact key counts; it only narrows. */
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
  requireMention: z
    .boolean()
    .default(true)
    .describe("Answers in this group only when it is mentioned. The name is the id of the group; `*` stands for every other one."),
  allowFrom: z
    .array(PlatformIdSchema)
    .optional()
    .describe("Ids of people who may write in this group. Unset: every member; empty: nobody but the owner."),
  tools: ToolPolicySchema.optional().describe("Tools in this group."),
  toolsBySender: z
    .record(TextSchema, ToolPolicySchema)
    .optional()
    .describe(
      "Tools of single people in this group, by their id (`<id>`, `id:<id>` or `channel:<channel>:<id>`); `*` stands for everybody else, the owner included. It only narrows, and everybody whose message a turn answers narrows it. Names and numbers are refused: people can change them.",
    ),
  skills: z.array(TextSchema).optional().describe("Skills in this group. Unset: all."),
  systemPrompt: TextSchema.optional().describe("Text that is added to the system prompt in this group."),
});

/** Parses the common keys of an account. */
export const CommonAccountSchema: z.ZodType<CommonAccountConfig> & { readonly shape: Readonly<Record<string, z.ZodType>> } = z
  .strictObject({
    enabled: z.boolean().default(true).describe("`false` switches the account off."),
    dmPolicy: z
      .enum(["pairing", "allowlist", "open", "disabled"])
      .default("pairing")
      .describe(
        "Who may send direct messages. `allowlist`: owners and `allowFrom`. `open`: everyone, if `allowFrom` contains `*`. `disabled`: nobody, owners included. `pairing`: as `allowlist`, and people whose code the owner approves.",
      ),
    allowFrom: z.array(PlatformIdSchema).default([]).describe("Ids of people who may write; compared exactly."),
    groupPolicy: z
      .enum(["allowlist", "open", "disabled"])
      .default("allowlist")
      .describe("In which groups it answers. `allowlist`: those under `groups`. `open`: all. `disabled`: none."),
    groups: z.record(TextSchema, GroupSchema).default({}).describe("Groups by their id; `*` stands for every other one."),
    allowBots: z
      .union([z.boolean(), z.literal("mentions")])
      .default(false)
      .describe(
        "Whether other bots are admitted, by the same lists as people: `false` never, `mentions` only when they mention the assistant or reply to it. A bot is never the owner, is not paired and gives no commands.",
      ),
    botLoop: z
      .strictObject({
        maxMessages: z
          .int()
          .min(1)
          .max(1000)
          .default(20)
          .describe("Messages of one bot in one conversation within the window that are answered; a person's message starts over."),
        windowSeconds: SecondsSchema.default(60).describe("The window in which they are counted."),
        cooldownSeconds: SecondsSchema.default(60).describe("How long a bot that exceeds this is not answered in that conversation."),
      })
      .prefault({})
      .describe("Ends exchanges of the assistant with another bot that would go on forever."),
    historyLimit: z
      .strictObject({
        direct: AmountSchema.optional().describe("User turns of a direct conversation that are sent to the model. Unset or `0`: all."),
        group: AmountSchema.optional().describe("The same for groups."),
        thread: AmountSchema.optional().describe("The same for threads."),
      })
      .prefault({})
      .describe("User turns of a conversation that are sent to the model."),
    blockStreaming: z.boolean().default(false).describe("Sends finished blocks of an answer while the model still writes."),
    streaming: z
      .strictObject({
        mode: z
          .enum(["off", "partial", "block", "progress"])
          .optional()
          .describe("How a growing answer is shown where the platform can edit messages."),
      })
      .prefault({})
      .describe("How a growing answer is shown."),
    reactionNotifications: z
      .enum(["off", "own", "all"])
      .default("own")
      .describe("Which reactions the model is shown with the next message: those to its own messages, all, or none."),
    replyToMode: z
      .enum(["off", "first", "all"])
      .optional()
      .describe("Which parts of an answer quote the message that they answer. Unset: as is usual on the platform."),
    textChunkLimit: CountSchema.optional().describe("Longest message, in the platform's unit, if shorter than the platform's own limit."),
  })
  .describe("Settings of every account, unless the account has its own.");
