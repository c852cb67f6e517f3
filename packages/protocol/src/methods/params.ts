import * as z from "zod";

/** No parameters. */
export const empty: z.ZodType<Record<string, never>> = z.strictObject({});

/** The key of a session, or another name that a caller has chosen. */
export const key: z.ZodString = z.string().min(1).max(1000);

/** The size of a page. */
export const limit: z.ZodNumber = z.number().int().min(1).max(200);
