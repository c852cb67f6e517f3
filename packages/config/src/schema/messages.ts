import * as z from "zod";
import { AmountSchema, CountSchema, PatternSchema, TextSchema } from "./values.ts";

/** What happens to a message that comes while the session is busy. */
export type QueueMode = "steer" | "followup" | "collect" | "interrupt";

/** How inbound messages are queued and gathered. */
export interface MessagesConfig {
  readonly queue: {
    readonly mode: QueueMode;
    readonly byChannel: Readonly<Record<string, QueueMode>>;
    readonly debounceMs: number;
    readonly cap: number;
    readonly drop: "summarize" | "old" | "new";
  };
  /** How long a conversation of a platform must be quiet before what was said there begins a turn; 0 waits for nothing. */
  readonly inbound: { readonly debounceMs: number };
  readonly groupChat: {
    /** Messages kept for the next mention; 0 keeps none. */
    readonly historyLimit: number;
    /** Regular expressions that count as a mention, whatever the case. */
    readonly mentionPatterns: readonly string[];
  };
}

const QueueModeSchema = z.enum(["steer", "followup", "collect", "interrupt"]);

/** Parses `messages`. */
export const MessagesSchema: z.ZodType<MessagesConfig> = z.strictObject({
  queue: z
    .strictObject({
      mode: QueueModeSchema.default("steer"),
      byChannel: z.record(TextSchema, QueueModeSchema).default({}),
      debounceMs: AmountSchema.default(500),
      cap: CountSchema.default(20),
      drop: z.enum(["summarize", "old", "new"]).default("summarize"),
    })
    .prefault({}),
  inbound: z.strictObject({ debounceMs: AmountSchema.default(0) }).prefault({}),
  groupChat: z.strictObject({ historyLimit: AmountSchema.default(50), mentionPatterns: z.array(PatternSchema).default([]) }).prefault({}),
});
