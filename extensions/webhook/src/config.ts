import * as z from "zod";

/** One account: one service that posts messages here and gets the answers. */
export interface WebhookConfig {
  readonly secret: string;
  readonly outboundUrl: string;
}

const SECRET_FORM = 'must be "whsec_" and 24 to 64 random bytes in Base64: openssl rand -base64 32';

/** Schema of one account, without the keys that every account has. */
export const WebhookConfigSchema: z.ZodType<WebhookConfig> = z.strictObject({
  secret: z
    .string()
    .regex(/^whsec_[A-Za-z0-9+/]{32,88}={0,2}$/, SECRET_FORM)
    .meta({ patternErrorMessage: SECRET_FORM })
    .describe(
      'Signs the messages in both directions: "whsec_" and 24 to 64 random bytes in Base64, as `openssl rand -base64 32` prints them.',
    ),
  outboundUrl: z
    .url({ protocol: /^https?$/, error: "must be an http or https URL" })
    .describe("Where the assistant's messages are posted. Attachments of people's messages must have the same origin."),
});
