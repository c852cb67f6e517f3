import * as z from "zod";

/** How events come in. */
export type FeishuTransport =
  | {
      /** Feishu posts events to the gateway. */
      readonly type: "webhook";
      /** From the console, Events & Callbacks, Encryption Strategy. Without it the platform signs nothing, so it is required. */
      readonly encryptKey: string;
      /** From the same page. */
      readonly verificationToken: string;
    }
  /** The gateway opens a connection to Feishu: no public address is needed. */
  | { readonly type: "websocket" };

/** One account: one app of the Feishu or Lark console. */
export interface FeishuConfig {
  /** `cli_` and 16 hexadecimal digits. */
  readonly appId: string;
  readonly appSecret: string;
  /** Which of the two platforms the app lives on; `feishu` by default. */
  readonly domain: "feishu" | "lark";
  /** Another server in place of the platform's own. */
  readonly baseUrl?: string | undefined;
  readonly transport: FeishuTransport;
}

const APP_ID_FORM = "the App ID is expected, cli_ and 16 hexadecimal digits; copy it from the console";

/** Schema of one account. */
export const FeishuConfigSchema: z.ZodType<FeishuConfig> = z.strictObject({
  appId: z
    .string()
    .regex(/^cli_[0-9a-fA-F]{16}$/, APP_ID_FORM)
    .meta({ patternErrorMessage: APP_ID_FORM })
    .describe("App ID from the developer console; begins with cli_."),
  appSecret: z.string().min(1).describe("App Secret from the developer console."),
  domain: z.enum(["feishu", "lark"]).default("feishu").describe("Platform that the app lives on."),
  baseUrl: z.url().optional().describe("Server in place of the platform's own."),
  transport: z
    .discriminatedUnion("type", [
      z.strictObject({
        type: z.literal("webhook").describe("`webhook`: the platform posts events here."),
        encryptKey: z.string().min(1).describe("Encrypt Key of the console's Encryption Strategy; signs and encrypts events."),
        verificationToken: z.string().min(1).describe("Verification Token of the same page."),
      }),
      z.strictObject({ type: z.literal("websocket").describe("`websocket`: a connection from here, no public address needed.") }),
    ])
    .describe("webhook: the platform posts events here. websocket: a connection from here, no public address needed."),
});
