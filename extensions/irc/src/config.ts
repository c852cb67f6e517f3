import * as z from "zod";

/** A channel to join. */
export interface IrcChannelConfig {
  readonly name: string;
  /** Password of the channel. */
  readonly key?: string | undefined;
}

/** How the connection is encrypted. */
export interface IrcTls {
  /** Certificates of the authority in PEM, in place of the system's. */
  readonly ca?: string | undefined;
  /** False accepts any certificate. */
  readonly verify: boolean;
}

/** One account: one nickname on one network. */
export interface IrcConfig {
  readonly host: string;
  readonly port?: number | undefined;
  readonly tls: boolean | IrcTls;
  readonly nick: string;
  readonly serverPassword?: string | undefined;
  readonly sasl?: { readonly account: string; readonly password: string } | undefined;
  readonly channels: readonly (string | IrcChannelConfig)[];
  /** Lines that may be sent at once, and milliseconds for each further one. */
  readonly flood: { readonly burst: number; readonly intervalMs: number };
}

/** The message is in the JSON Schema, too, by which a written configuration is checked. */
const text = (pattern: RegExp, message: string): z.ZodString => z.string().regex(pattern, message).meta({ patternErrorMessage: message });

const line = text(/^[^\r\n\0]+$/u, "one line without control characters is expected").min(1);
const word = text(/^[^\s\0:,][^\s\0,]*$/u, "a name without spaces and commas, and without a colon before it, is expected").min(1);
const hostName = text(
  /^[^\s\0:,/]+$/u,
  'a name such as irc.example.org or an IP address is expected; the port is a key of its own: "port"',
).min(1);
const channelName = text(/^[#&+!][^\s\0,]*$/, "a channel begins with #");

/** Hosts to which nothing leaves this machine. */
const LOOPBACK: ReadonlySet<string> = new Set(["127.0.0.1", "::1", "localhost"]);

/** Schema of one account. */
export const IrcConfigSchema: z.ZodType<IrcConfig> = z
  .strictObject({
    host: hostName.or(z.ipv6()).describe("Name or address of the server."),
    port: z.number().int().min(1).max(65_535).optional().describe("6697 with TLS, 6667 without, if absent."),
    tls: z
      .union([
        z.boolean(),
        z.strictObject({
          ca: z.string().min(1).optional().describe("Certificate of the authority in PEM, in place of the system's."),
          verify: z.boolean().default(true).describe("Whether the server's certificate is verified."),
        }),
      ])
      .default(true)
      .describe("Whether the connection is encrypted, and by which authority the server is verified."),
    nick: word.describe("Nickname of the bot."),
    serverPassword: line.optional().describe("Password of the server."),
    sasl: z
      .strictObject({
        account: word.describe("Account of the network's services."),
        password: line.describe("Its password."),
      })
      .optional()
      .describe("Login to the network's services with SASL PLAIN."),
    channels: z
      .array(
        z.union([
          channelName,
          z.strictObject({ name: channelName.describe("Name of the channel."), key: word.optional().describe("Password of the channel.") }),
        ]),
      )
      .default([])
      .describe("Channels to join.")
      // The form has another word for what the product calls channels.
      .meta({ title: "Channels of the network" }),
    flood: z
      .strictObject({
        burst: z.number().int().min(1).max(100).default(4).describe("Lines that may be sent at once."),
        intervalMs: z.number().int().min(0).max(60_000).default(2_000).describe("Milliseconds for each further line."),
      })
      .default({ burst: 4, intervalMs: 2_000 })
      .describe("The network's limit of lines; more would end the connection."),
  })
  .refine(({ sasl, tls, host }) => sasl === undefined || tls !== false || LOOPBACK.has(host), {
    path: ["sasl"],
    message: "SASL PLAIN shows the password to everybody on the way: use tls",
  });
