import type { convert } from "html-to-text";
import type { ImapFlow } from "imapflow";
import type { simpleParser } from "mailparser";
import type MailComposer from "nodemailer/lib/mail-composer";
import type SMTPConnection from "nodemailer/lib/smtp-connection";

/** Loads the IMAP client, with the first connection. */
export async function loadImap(): Promise<typeof ImapFlow> {
  return (await import("imapflow")).ImapFlow;
}

/** Loads the parser of headers, with the first mail. */
export async function loadParser(): Promise<typeof simpleParser> {
  return (await import("mailparser")).simpleParser;
}

/** Loads the converter of HTML, with the first mail that has no plain text. */
export async function loadHtmlToText(): Promise<typeof convert> {
  return (await import("html-to-text")).convert;
}

/** Loads the sending side, with the first send. */
export async function loadSmtp(): Promise<{ readonly Composer: typeof MailComposer; readonly Connection: typeof SMTPConnection }> {
  const [composer, connection] = await Promise.all([import("nodemailer/lib/mail-composer"), import("nodemailer/lib/smtp-connection")]);
  return { Composer: composer.default, Connection: connection.default };
}
