import * as z from "zod";
import { parserOf } from "../parser-of.ts";

/** A slash command. Names are without the slash. */
export interface CommandSummary {
  readonly name: string;
  /** Other names of the same command. */
  readonly aliases: readonly string[];
  /** `file`: of the workspace; `command` and `prompt`: of a plugin or a server. */
  readonly type: "built-in" | "skill" | "file" | "command" | "prompt";
  /** One line; of anything but a built-in one it may be text of others. */
  readonly summary: string;
  /** Who may use it in a conversation with others. */
  readonly access: "anyone" | "owner";
  /** What may follow the name, for people: `[ID [DECISION]]`. Absent: nothing is known. */
  readonly hint?: string;
  /** Words that may follow the name first. */
  readonly words: readonly string[];
}

/** Parses a slash command. */
export const CommandSummarySchema: z.ZodType<CommandSummary> = parserOf<CommandSummary>()(() =>
  z.strictObject({
    name: z.string(),
    aliases: z.array(z.string()),
    type: z.enum(["built-in", "skill", "file", "command", "prompt"]),
    summary: z.string(),
    access: z.enum(["anyone", "owner"]),
    hint: z.string().optional(),
    words: z.array(z.string()),
  }),
);
