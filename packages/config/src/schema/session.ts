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
  action: z.enum(["allow", "deny"]),
  match: z
    .strictObject({
      channel: TextSchema.optional(),
      chatType: z.enum(["direct", "group", "channel"]).optional(),
      keyPrefix: TextSchema.optional(),
    })
    .prefault({}),
});

/** Parses `session`. */
export const SessionSchema: z.ZodType<SessionConfig> = z.strictObject({
  scope: z.enum(["per-sender", "global"]).default("per-sender"),
  mainKey: texts("a key without spaces, : and % is expected", /^[^\s:%]+$/).default("main"),
  dmScope: DmScopeSchema.default("main"),
  sharedMain: z.boolean().default(false),
  identityLinks: z.record(TextSchema, z.array(TextSchema)).default({}),
  reset: SessionResetSchema.prefault({}),
  resetByType: z
    .strictObject({ direct: SessionResetSchema.optional(), group: SessionResetSchema.optional(), thread: SessionResetSchema.optional() })
    .prefault({}),
  resetByChannel: z.record(TextSchema, SessionResetSchema).default({}),
  resetTriggers: z.array(TextSchema).default(["/new", "/reset"]),
  sendPolicy: z
    .strictObject({ rules: z.array(SendRuleSchema).default([]), default: z.enum(["allow", "deny"]).default("allow") })
    .prefault({}),
  agentToAgent: z.strictObject({ maxPingPongTurns: z.int().min(0).max(5).default(5) }).prefault({}),
  maintenance: z
    .strictObject({
      mode: z.enum(["enforce", "warn"]).default("enforce"),
      pruneAfter: DurationSchema.optional(),
      maxEntries: CountSchema.optional(),
      maxDiskBytes: AmountSchema.optional(),
    })
    .prefault({}),
});
