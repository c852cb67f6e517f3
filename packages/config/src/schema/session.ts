import * as z from "zod";
import { SessionResetSchema, type ResetConfig } from "./session-reset.ts";
import { AmountSchema, CountSchema, DurationSchema, texts, TextSchema } from "./values.ts";

/** Which direct conversations share a session. */
export type DmScope = "main" | "per-peer" | "per-channel-peer" | "per-account-channel-peer";

/** One rule of the send policy; a missing field matches everything. */
export interface SendRule {
  readonly action: "allow" | "deny";
  readonly match: {
    readonly channel?: string | undefined;
    readonly chatType?: "direct" | "group" | "channel" | undefined;
    readonly keyPrefix?: string | undefined;
  };
}

/** How conversations become sessions, and how long they last. */
export interface SessionConfig {
  readonly scope: "per-sender" | "global";
  readonly mainKey: string;
  readonly dmScope: DmScope;
  /** Other people's messages enter the owner's sessions too, under `dmScope: "main"` and `scope: "global"`. */
  readonly sharedMain: boolean;
  /** Maps a person's name to their ids (`channel:id`). */
  readonly identityLinks: Readonly<Record<string, readonly string[]>>;
  readonly reset: ResetConfig;
  readonly resetByType: {
    readonly direct?: ResetConfig | undefined;
    readonly group?: ResetConfig | undefined;
    readonly thread?: ResetConfig | undefined;
  };
  readonly resetByChannel: Readonly<Record<string, ResetConfig>>;
  readonly resetTriggers: readonly string[];
  readonly sendPolicy: { readonly rules: readonly SendRule[]; readonly default: "allow" | "deny" };
  readonly agentToAgent: { readonly maxPingPongTurns: number };
  /** Conversations that are focused on other sessions, and sub-agents that stay open. */
  readonly threadBindings: {
    /** Hours without a message after which a focus, or a sub-agent that stays open, ends. 0: never. */
    readonly idleHours: number;
    /** Hours after which a focus ends in any case. 0: never. */
    readonly maxAgeHours: number;
    /** A sub-agent that stays open gets a thread of its own, where the channel can create one. */
    readonly spawnSessions: boolean;
  };
  /** Retention limits. An absent key is no limit. */
  readonly maintenance: {
    /** `warn` removes nothing and logs what `enforce` would. */
    readonly mode: "enforce" | "warn";
    /** Conversations without activity for longer than this are deleted. */
    readonly pruneAfter?: string | undefined;
    /** Maximum number of sessions. */
    readonly maxEntries?: number | undefined;
    /** Bytes of the store and of its plain files. */
    readonly maxDiskBytes?: number | undefined;
  };
}

/** Parses a `dmScope`. */
export const DmScopeSchema: z.ZodType<DmScope> = z.enum(["main", "per-peer", "per-channel-peer", "per-account-channel-peer"]);

const SendRuleSchema: z.ZodType<SendRule> = z.strictObject({
  action: z.enum(["allow", "deny"]).describe("Whether answers that match are sent. The first rule that matches counts."),
  match: z
    .strictObject({
      channel: TextSchema.optional().describe("Id of a channel. Unset: every one."),
      chatType: z.enum(["direct", "group", "channel"]).optional().describe("Kind of conversation. Unset: every one."),
      keyPrefix: TextSchema.optional().describe("Beginning of the session key. Unset: every one."),
    })
    .prefault({})
    .describe("What an answer must be for; everything that is given must match."),
});

/** Parses `session`. */
export const SessionSchema: z.ZodType<SessionConfig> = z
  .strictObject({
    scope: z
      .enum(["per-sender", "global"])
      .default("per-sender")
      .describe("`global`: one session for everything. `per-sender`: sessions by conversation, as `dmScope` says."),
    mainKey: texts("a key without spaces, : and % is expected", /^[^\s:%]+$/)
      .default("main")
      .describe("Last part of the key of the main session."),
    dmScope: DmScopeSchema.default("main").describe(
      "Which direct conversations share a session. `main`: all of the owner's; other people get one each unless `sharedMain` is set.",
    ),
    sharedMain: z
      .boolean()
      .default(false)
      .describe('Lets other people\'s direct messages into the owner\'s sessions, with `dmScope: "main"` or `scope: "global"`.'),
    identityLinks: z
      .record(TextSchema, z.array(TextSchema))
      .default({})
      .describe("A person's name to the ids (`channel:id`) that are theirs, so that they share a session. It gives no rights."),
    reset: SessionResetSchema.prefault({}).describe("When a conversation starts over by itself."),
    resetByType: z
      .strictObject({
        direct: SessionResetSchema.optional().describe("The same for direct conversations."),
        group: SessionResetSchema.optional().describe("The same for groups."),
        thread: SessionResetSchema.optional().describe("The same for threads."),
      })
      .prefault({})
      .describe("The same for one kind of conversation."),
    resetByChannel: z
      .record(TextSchema, SessionResetSchema)
      .default({})
      .describe("The same for one channel, by its id. It has precedence over `resetByType`."),
    resetTriggers: z.array(TextSchema).default(["/new", "/reset"]).describe("Messages that start a session over."),
    sendPolicy: z
      .strictObject({
        rules: z.array(SendRuleSchema).default([]).describe("Rules that are tried in this order."),
        default: z.enum(["allow", "deny"]).default("allow").describe("What holds where no rule matches."),
      })
      .prefault({})
      .describe("Which answers are sent at all."),
    agentToAgent: z
      .strictObject({
        maxPingPongTurns: z
          .int()
          .min(0)
          .max(5)
          .default(5)
          .describe("Further replies that two sessions may exchange after the first reply to `sessions_send`. 0: none."),
      })
      .prefault({})
      .describe("How sessions talk with each other."),
    threadBindings: z
      .strictObject({
        idleHours: AmountSchema.default(24).describe(
          "Hours without a message after which `/focus` ends, and so does a subagent that stays open. 0: never.",
        ),
        maxAgeHours: AmountSchema.default(0).describe("Hours after which `/focus` ends in any case. 0: never."),
        spawnSessions: z
          .boolean()
          .default(true)
          .describe("Gives a subagent that stays open a thread of its own, in groups where the channel can create one."),
      })
      .prefault({})
      .describe("Conversations whose messages go to another session (`/focus`), and subagents that stay open."),
    maintenance: z
      .strictObject({
        mode: z.enum(["enforce", "warn"]).default("enforce").describe("`warn` removes nothing, and logs what `enforce` would remove."),
        pruneAfter: DurationSchema.optional().describe("Duration of silence after which a conversation is removed. Unset: never."),
        maxEntries: CountSchema.optional().describe("Sessions that are kept; the oldest are removed. Unset: all."),
        maxDiskBytes: AmountSchema.optional().describe(
          "Bytes of the database and the session files; the oldest conversations are removed. Unset: no bound.",
        ),
      })
      .prefault({})
      .describe("What is removed of old conversations. Nothing, unless a bound is set."),
  })
  .describe("How messages become conversations, and how long these last.");
