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
  readonly imap: MailServer & { readonly user: string; readonly password: string };
  /** Without a user those of IMAP apply. */
  readonly smtp: MailServer & { readonly user?: string | undefined; readonly password?: string | undefined };
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
        password: line.describe("Its password; many providers want one made for programs."),
      })
      .describe("The server that mail is read from."),
    smtp: z
      .strictObject({
        ...server,
        port: port("465 with TLS, 587 otherwise, if absent."),
        user: line.optional().describe("Login; that of IMAP if absent."),
        password: line.optional().describe("Its password; that of IMAP if absent."),
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
      .optional()
      .describe("How senders are proved. Without it every message is refused, since anybody can write any From."),
    sentFolder: line.optional().describe("Folder for copies of sent mail; absent if the server stores them itself."),
  })
  .superRefine(({ imap, smtp }, context) => {
    for (const [key, { host, tls }] of Object.entries({ imap, smtp })) {
      if (tls !== false || LOOPBACK.has(host)) continue;
      context.addIssue({ code: "custom", path: [key, "tls"], message: 'the password would be sent in clear: use true or "starttls"' });
    }
  });
