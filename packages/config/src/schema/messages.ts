import * as z from "zod";
import { AmountSchema, CountSchema, PatternSchema, TextSchema } from "./values.ts";

/** How a message is queued while its session is busy. */
export type QueueMode = "steer" | "followup" | "collect" | "interrupt";

/** How inbound messages are queued and batched. */
export interface MessagesConfig {
  readonly queue: {
    readonly mode: QueueMode;
    readonly byChannel: Readonly<Record<string, QueueMode>>;
    readonly debounceMs: number;
    readonly cap: number;
    readonly drop: "summarize" | "old" | "new";
  };
  readonly inbound: {
    /** Debounce in milliseconds: how long a conversation must be quiet before its messages start a turn; 0 starts at once. */
    readonly debounceMs: number;
    /** Hours between the sending of a message and its receipt after which it becomes a dead letter; 0 accepts messages of any age. */
    readonly maxAgeHours: number;
  };
  readonly groupChat: {
    /** Messages kept for the next mention; 0 keeps none. */
    readonly historyLimit: number;
    /** Regular expressions that count as a mention, at most 20 of at most 200 characters; case-insensitive. */
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
  inbound: z
    .strictObject({
      debounceMs: AmountSchema.default(0),
      maxAgeHours: AmountSchema.default(24).describe(
        "Messages that a platform delivers more than this many hours after they were sent become dead letters (too-old); 0 takes messages of any age.",
      ),
    })
    .prefault({}),
  groupChat: z
    .strictObject({ historyLimit: AmountSchema.default(50), mentionPatterns: z.array(PatternSchema).max(20).default([]) })
    .prefault({}),
});
