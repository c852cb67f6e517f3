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
  /** Spoken answers. */
  readonly tts: {
    readonly auto: "off" | "always" | "inbound" | "tagged";
    /** A model reference, or `espeak-ng`. Unset: nothing is spoken. */
    readonly provider?: string | undefined;
    readonly voice?: string | undefined;
    /** Characters that are spoken of one answer. */
    readonly maxChars: number;
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
export const MessagesSchema: z.ZodType<MessagesConfig> = z
  .strictObject({
    queue: z
      .strictObject({
        mode: QueueModeSchema.default("steer").describe(
          "What happens to a message that comes while the session is busy. `steer`: it goes into the running turn. `followup`: a turn of its own follows. `collect`: what waits becomes one turn. `interrupt`: the running turn ends.",
        ),
        byChannel: z.record(TextSchema, QueueModeSchema).default({}).describe("The same for one channel, by its id."),
        debounceMs: AmountSchema.default(500).describe("Milliseconds without a message before waiting messages are processed."),
        cap: CountSchema.default(20).describe("Messages that wait for one session at most."),
        drop: z
          .enum(["summarize", "old", "new"])
          .default("summarize")
          .describe("What happens beyond that: older messages are summed up, the oldest are dropped, or the newest."),
      })
      .prefault({})
      .describe("What happens to messages while their session is busy."),
    inbound: z
      .strictObject({
        debounceMs: AmountSchema.default(0).describe(
          "Milliseconds that a conversation must be quiet before its messages start a turn; `0` does not wait.",
        ),
        maxAgeHours: AmountSchema.default(24).describe(
          "Messages that a platform delivers more than this many hours after they were sent become dead letters (too-old); 0 takes messages of any age.",
        ),
      })
      .prefault({})
      .describe("What happens to messages before their turn."),
    tts: z
      .strictObject({
        auto: z
          .enum(["off", "always", "inbound", "tagged"])
          .default("off")
          .describe(
            "Which answers in chats are spoken: none, all, those to voice messages, or those that the model marks with `[[tts]]`. `/tts` chooses for one conversation.",
          ),
        provider: TextSchema.optional().describe(
          "What speaks: a model as `provider/model`, or `espeak-ng`, the program of that name. Unset: nothing is spoken.",
        ),
        voice: TextSchema.optional().describe("The provider's name of a voice. Unset: its own default."),
        maxChars: CountSchema.default(4000).describe("Characters that are spoken of one answer."),
      })
      .prefault({})
      .describe("Spoken answers."),
    groupChat: z
      .strictObject({
        historyLimit: AmountSchema.default(50).describe("Messages of a group that are kept for the next mention; `0` keeps none."),
        mentionPatterns: z
          .array(PatternSchema)
          .max(20)
          .default([])
          .describe(
            "Regular expressions that count as a mention in groups, whatever the case: at most 20 of at most 200 characters, applied to the first 2,000 characters of a message. Repetition inside a repeated group is refused.",
          ),
      })
      .prefault({})
      .describe("What an agent hears in groups."),
  })
  .describe("How messages are queued and gathered.");
