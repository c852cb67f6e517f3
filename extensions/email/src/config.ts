import * as z from "zod";

/** One of the two servers of an account. */
export interface MailServer {
  readonly host: string;
  readonly port?: number | undefined;
  /** `true`: encrypted from the start. `starttls`: encrypted before the login. `false`: not encrypted, on this machine only. */
  readonly tls: boolean | "starttls";
  /** Certificates of the authority in PEM, in place of the system's. */
  readonly ca?: string | undefined;
}

/** A login by OAuth 2.0: access tokens are fetched with a refresh token. */
export interface OAuthLogin {
  readonly tokenUrl: string;
  readonly clientId: string;
  readonly clientSecret?: string | undefined;
  readonly refreshToken: string;
  readonly scope?: string | undefined;
}

/** The secret of a login: one of these. */
export interface MailLogin {
  readonly password?: string | undefined;
  /** A token that somebody else keeps valid. */
  readonly accessToken?: string | undefined;
  readonly oauth?: OAuthLogin | undefined;
}

/** How the sender of a message is proved. */
export type SenderVerification =
  /** By the header `Authentication-Results` that the receiving server adds under this name. */
  | { readonly authservId: string }
  /** Not at all: for a closed mail system that nobody outside can send to. */
  | { readonly trustFrom: true };

/** One account: one mailbox. */
export interface EmailConfig {
  /** The assistant's own address. */
  readonly address: string;
  /** Its name in the header From. */
  readonly name?: string | undefined;
  readonly imap: MailServer & MailLogin & { readonly user: string };
  /** The user and the login of IMAP apply where these are absent. */
  readonly smtp: MailServer & MailLogin & { readonly user?: string | undefined };
  /** The folder that is read. */
  readonly folder: string;
  /** Without it every message is refused. */
  readonly senderVerification?: SenderVerification | undefined;
  /** Where copies of sent mail are stored; without it the server does that itself, or nobody. */
  readonly sentFolder?: string | undefined;
}

/** The message is in the JSON Schema, too, by which a written configuration is checked. */
const text = (pattern: RegExp, message: string): z.ZodString => z.string().regex(pattern, message).meta({ patternErrorMessage: message });

const line = text(/^[^\r\n\0]+$/u, "one line without control characters is expected");
const hostName = text(
  /^[^\s\0:,/]+$/u,
  'a name such as imap.example.org or an IP address is expected; the port is a key of its own: "port"',
);
const address = text(/^[^\s<>,;:()"@]+@[^\s<>,;:()"@]+$/u, "an address such as assistant@example.org is expected");

/** Hosts to which nothing leaves this machine. */
const LOOPBACK: ReadonlySet<string> = new Set(["127.0.0.1", "::1", "localhost"]);

const server = {
  host: hostName.or(z.ipv6()).describe("Name or address of the server."),
  tls: z
    .union([z.boolean(), z.literal("starttls")])
    .default(true)
    .describe('true: encrypted from the start. "starttls": encrypted before the login. false: only on this machine.'),
  ca: z.string().min(1).optional().describe("Certificate of the authority in PEM, in place of the system's."),
};
const oauth = z
  .strictObject({
    tokenUrl: z.url({ protocol: /^https?$/ }).describe("Token endpoint of the provider."),
    clientId: line.describe("Id of the application that is registered with the provider."),
    clientSecret: line.optional().describe("Its secret, if it has one."),
    refreshToken: line.describe("Refresh token of the mailbox, from a login with the application."),
    scope: line.optional().describe("Scopes that are asked for, separated by spaces; those of the refresh token if absent."),
  })
  .optional()
  .describe("Login by OAuth in place of a password, as Microsoft 365 and Outlook.com demand.");
const accessToken = line.optional().describe("Access token in place of a password, if another program keeps it valid.");
const port = (description: string): z.ZodOptional<z.ZodNumber> => z.number().int().min(1).max(65_535).optional().describe(description);

/** Schema of one account. */
export const EmailConfigSchema: z.ZodType<EmailConfig> = z
  .strictObject({
    address: address.describe("The assistant's own address."),
    name: line.optional().describe("Its name, as people see it."),
    imap: z
      .strictObject({
        ...server,
        port: port("993 with TLS, 143 otherwise, if absent."),
        user: line.describe("Login, usually the address."),
        // A terminal asks for it, since most logins have one.
        password: line.meta({ isAsked: true }).optional().describe("Its password; many providers want one made for programs."),
        accessToken,
        oauth,
      })
      .describe("The server that mail is read from."),
    smtp: z
      .strictObject({
        ...server,
        port: port("465 with TLS, 587 otherwise, if absent."),
        user: line.optional().describe("Login; that of IMAP if absent."),
        password: line.optional().describe("Its password; without a login here that of IMAP."),
        accessToken,
        oauth,
      })
      .describe("The server that mail is sent through."),
    folder: line.default("INBOX").describe("The folder that is read."),
    senderVerification: z
      .union([
        z.strictObject({
          authservId: text(/^[^\s;]+$/u, "the first word of the header Authentication-Results is expected").describe(
            "Name under which the receiving server writes Authentication-Results; factotum channels probe names it.",
          ),
        }),
        z.strictObject({
          trustFrom: z.literal(true).describe("Every From is believed: only for a closed mail system that nobody outside can send to."),
        }),
      ])
      // Named after a setup without it: only a probe of the finished account tells the value.
      .meta({ isAdvised: true })
      .optional()
      .describe(
        "How senders are proved. Without it every message is refused, since anybody can write any From; factotum channels probe names the value for authservId.",
      ),
    sentFolder: line.optional().describe("Folder for copies of sent mail; absent if the server stores them itself."),
  })
  .superRefine(({ imap, smtp }, context) => {
    const refuse = (path: string[], message: string): void => context.addIssue({ code: "custom", path, message });
    for (const [key, { host, tls, ...login }] of Object.entries({ imap, smtp })) {
      if (tls === false && !LOOPBACK.has(host)) refuse([key, "tls"], 'the password would be sent in clear: use true or "starttls"');
      const given = [login.password, login.accessToken, login.oauth].filter((one) => one !== undefined).length;
      if (given > 1) refuse([key], "only one of password, accessToken and oauth can be used");
      if (given === 0 && key === "imap") refuse([key], "a login is missing: password, accessToken or oauth");
      if (isClear(login.oauth?.tokenUrl)) refuse([key, "oauth", "tokenUrl"], "the refresh token would be sent in clear: use https");
    }
  });

/** True for an address without TLS of another machine. */
function isClear(url: string | undefined): boolean {
  if (url === undefined || !URL.canParse(url)) return false;
  const { protocol, hostname } = new URL(url);
  return protocol === "http:" && !LOOPBACK.has(hostname.replaceAll(/[[\]]/g, ""));
}
