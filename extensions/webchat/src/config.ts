import * as z from "zod";

/** One account of WebChat. It has no settings of its own yet; an unknown key is an error. */
export type WebchatConfig = Readonly<Record<string, never>>;

/** Parses one account. */
export const WebchatConfigSchema: z.ZodType<WebchatConfig> = z.strictObject({});
