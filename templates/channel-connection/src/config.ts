import * as z from "zod";

/** One account: one bot. */
export interface SampleChatConfig {
  readonly token: string;
  /** Another server in place of the platform's own. */
  readonly baseUrl: string;
}

/** Schema of one account, without the keys that every account has. */
export const SampleChatConfigSchema: z.ZodType<SampleChatConfig> = z.strictObject({
  token: z.string().min(1).describe("The bot's token."),
  baseUrl: z.url().default("https://api.sample-chat.example").describe("Server in place of the platform's own."),
});
