import * as z from "zod";

/** How updates come in. */
export type TelegramTransport =
  /** The gateway asks Telegram for updates; no public address is needed. */
  | { readonly type: "polling" }
  | {
      /** Telegram posts updates to the gateway, which registers its address. */
      readonly type: "webhook";
      /** Telegram sends it with every update. */
      readonly secretToken: string;
    };

/** One account: one bot. */
export interface TelegramConfig {
  /** Token of the bot, from @BotFather. */
  readonly token: string;
  readonly transport: TelegramTransport;
  /** A Bot API server in place of the platform's own. */
  readonly baseUrl?: string | undefined;
}

const TOKEN_FORM = "the token as @BotFather gives it is expected: digits, a colon, and 30 characters or more";

const SECRET_FORM = "16 to 256 letters, digits, _ and - are expected";

/** Schema of one account. */
export const TelegramConfigSchema: z.ZodType<TelegramConfig> = z.strictObject({
  token: z
    .string()
    .regex(/^\d+:[\w-]{30,}$/, TOKEN_FORM)
    .meta({ patternErrorMessage: TOKEN_FORM })
    .describe("Token of the bot, as @BotFather gives it: digits, a colon, and 30 characters or more."),
  transport: z
    .discriminatedUnion("type", [
      z.strictObject({
        type: z.literal("polling").describe("`polling`: the gateway asks for updates, no public address needed."),
      }),
      z.strictObject({
        type: z
          .literal("webhook")
          .describe("`webhook`: Telegram posts updates to `gateway.publicUrl`, where the gateway registers itself."),
        secretToken: z
          .string()
          .regex(/^[\w-]{16,256}$/, SECRET_FORM)
          .meta({ patternErrorMessage: SECRET_FORM })
          .describe("Chosen by you and sent by Telegram with every update: 16 to 256 letters, digits, _ and -."),
      }),
    ])
    // A terminal asks for it: who has a public address may prefer the other one.
    .meta({ isAsked: true })
    .default({ type: "polling" })
    .describe("polling: the gateway asks for updates, no public address needed. webhook: Telegram posts them to gateway.publicUrl."),
  baseUrl: z.url().optional().describe("A Bot API server of your own in place of the platform's."),
});
