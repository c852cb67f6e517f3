import type { DeclaredCommand } from "@factotum/plugin-host";
import * as z from "zod";
import { lineOf } from "./line-of.ts";

/** The slash commands of an entry of `provides`. Menus of some platforms have no room for more than 32 characters of a name. */
export const CommandsSchema: z.ZodType<readonly DeclaredCommand[]> = z
  .array(
    z.object({
      name: z
        .string("a text is expected")
        .regex(/^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/, "lower-case letters and digits are expected, in parts joined by dashes, without a slash")
        .max(32, "at most 32 characters are allowed"),
      description: lineOf(200),
      argumentHint: lineOf(60).optional(),
    }),
    "a list is expected",
  )
  .min(1, "the list is empty")
  .max(20, "at most 20 commands are allowed")
  .refine((commands) => new Set(commands.map(({ name }) => name)).size === commands.length, "two commands have the same name");
