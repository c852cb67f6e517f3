import * as z from "zod";

/** One account: one bot. */
export interface DiscordConfig {
  /** Token of the bot, from the Developer Portal. */
  readonly token: string;
  /** Another server in place of the platform's; the API is below `/api/`. */
  readonly baseUrl?: string | undefined;
}

const TOKEN_FORM = "the bot's token is expected: three parts with dots between them, not the application's id, key or secret";

/** Schema of one account. */
export const DiscordConfigSchema: z.ZodType<DiscordConfig> = z.strictObject({
  token: z
    .string()
    .regex(/^[\w-]+\.[\w-]+\.[\w-]+$/, TOKEN_FORM)
    .meta({ patternErrorMessage: TOKEN_FORM })
    .describe("Token of the bot, from the page Bot of the application in the Discord Developer Portal."),
  baseUrl: z.url().optional().describe("Another server in place of the platform's; the API is below `/api/`."),
});
