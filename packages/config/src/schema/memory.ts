import * as z from "zod";
import { NamesSchema, texts, TextSchema } from "./values.ts";

/** Kinds of conversations that the memory may search. */
const MEMORY_SESSIONS = ["private", "groups", "subagents"] as const;

/** What is searched in addition to the notes of an agent. */
export interface MemoryConfig {
  /** Id of the plugin that is the memory. Unset: the notes are searched. */
  readonly provider?: string | undefined;
  /** Markdown files, and folders of them. */
  readonly extraPaths: readonly string[];
  /** `private`: conversations in which only the owner has written. */
  readonly sessions: readonly (typeof MEMORY_SESSIONS)[number][];
  /** When an agent proposes additions to `MEMORY.md`, as `HH:MM` of its day. Unset: never. */
  readonly dailyReview?: string | undefined;
  /** What compares texts by their meaning, too. Unset: words alone are compared. */
  readonly embeddings?: { readonly model: string } | undefined;
}

/** Parses `memory`. */
export const MemorySchema: z.ZodType<MemoryConfig> = z
  .strictObject({
    provider: TextSchema.optional().describe("Plugin that is the memory. Unset: the notes in the workspace are searched."),
    extraPaths: NamesSchema.default([]).describe("Further Markdown files, and folders of them, that are searched."),
    sessions: z
      .array(z.enum(MEMORY_SESSIONS))
      .default(["private"])
      .describe("Conversations that are searched: `private` are those in which only the owner has written. `[]`: none."),
    dailyReview: texts('a time such as "21:00" is expected', /^([01]\d|2[0-3]):[0-5]\d$/)
      .optional()
      .describe(
        "Time of day at which the assistant proposes additions to MEMORY.md from the day's notes, such as `21:00`. It writes nothing by itself. Unset: never.",
      ),
    embeddings: z
      .strictObject({
        model: TextSchema.describe(
          "Model that embeds texts, as `provider/model`. It reads everything that is searched, and each question.",
        ),
      })
      .optional()
      .describe("Compares texts by their meaning, next to their words. Unset: by their words alone."),
  })
  .describe("Search over the notes and conversations.");
