import * as z from "zod";

/** How events come in. */
export type SlackTransport =
  | {
      /** Socket Mode: the gateway opens a connection to Slack, and no public address is needed. */
      readonly type: "socket";
      /** App-level token with the scope `connections:write`; begins with `xapp-`. */
      readonly appToken: string;
    }
  | {
      /** Slack posts events to the gateway. */
      readonly type: "http";
      /** From Basic Information, App Credentials. */
      readonly signingSecret: string;
    };

/** One account: one app in one workspace. */
export interface SlackConfig {
  /** Bot User OAuth Token; begins with `xoxb-`. */
  readonly botToken: string;
  readonly transport: SlackTransport;
  /** Another server in place of the platform's own; the Web API is below `/api/`. */
  readonly baseUrl?: string | undefined;
}

/** The message is in the JSON Schema, too, by which a written configuration is checked. */
const token = (pattern: RegExp, message: string): z.ZodString => z.string().regex(pattern, message).meta({ patternErrorMessage: message });

/** Schema of one account. */
export const SlackConfigSchema: z.ZodType<SlackConfig> = z.strictObject({
  botToken: token(
    /^(?:xoxe\.)?xoxb-\S+$/,
    "the Bot User OAuth Token is expected, which begins with xoxb-; copy it from OAuth & Permissions",
  ).describe("Bot User OAuth Token of the app; begins with xoxb-."),
  transport: z
    .discriminatedUnion("type", [
      z.strictObject({
        type: z.literal("socket").describe("`socket`: a connection from here (Socket Mode), no public address needed."),
        appToken: token(
          /^xapp-\S+$/,
          "an app-level token is expected, which begins with xapp-; generate it under Basic Information",
        ).describe("App-level token with the scope connections:write; begins with xapp-."),
      }),
      z.strictObject({
        type: z.literal("http").describe("`http`: the platform posts events here."),
        signingSecret: z.string().min(1).describe("Signing Secret of the app's Basic Information."),
      }),
    ])
    .describe("socket: a connection from here (Socket Mode), no public address needed. http: the platform posts events here."),
  baseUrl: z.url().optional().describe("Server in place of the platform's own."),
});
