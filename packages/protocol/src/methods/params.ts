import * as z from "zod";

/** No parameters. */
export const empty: z.ZodType<Record<string, never>> = z.lazy(() => z.strictObject({}));

/** A session key, or another name chosen by a caller. */
export const key: z.ZodString = z.string().min(1).max(1000);

/** Page size. */
export const limit: z.ZodNumber = z.number().int().min(1).max(200);
