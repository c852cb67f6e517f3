import * as z from "zod";

/** No parameters. */
export const empty: z.ZodType<Record<string, never>> = z.lazy(() => z.strictObject({}));

/** A session key, or another name chosen by a caller. */
export const key: z.ZodString = z.string().min(1).max(1000);

/** Page size. */
export const limit: z.ZodNumber = z.number().int().min(1).max(200);

/** By what a request that is sent again is recognised: a text that can be stored, without NUL and without half of a character. */
export const idempotencyKey: z.ZodType<string> = z
  .string()
  .min(1)
  .max(200)
  .refine((text) => !text.includes("\u0000") && text.isWellFormed(), { message: "it holds a character that a key cannot have" });
