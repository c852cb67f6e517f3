import { z } from "zod";

/** The parameter of every file tool. */
export const PathSchema: z.ZodString = z.string();

/** Aliases that models use. */
export const PATH_ALIASES: Readonly<Record<string, string>> = { file_path: "path" };
