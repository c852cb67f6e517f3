import * as z from "zod";

/** One account: one user of a homeserver. */
export interface MatrixConfig {
  /** Address of the homeserver's client API, such as `https://matrix.example.org`. */
  readonly homeserver: string;
  /** The bot's full user id. */
  readonly userId: string;
  /** Access token of the bot's session. */
  readonly accessToken: string;
}

const USER_FORM = "the full user id is expected, such as @factotum:example.org";

/** Schema of one account. */
export const MatrixConfigSchema: z.ZodType<MatrixConfig> = z.strictObject({
  homeserver: z
    .url({ protocol: /^https?$/ })
    .describe("Address of the homeserver, such as `https://matrix.example.org`: the base URL that its clients use."),
  userId: z
    .string()
    .regex(/^@[^:\s]+:\S+$/, USER_FORM)
    .meta({ patternErrorMessage: USER_FORM })
    .describe("The bot's full user id, such as `@factotum:example.org`."),
  accessToken: z.string().min(1).describe("Access token of the bot's session on the homeserver."),
});
