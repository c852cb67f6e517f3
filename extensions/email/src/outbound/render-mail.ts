import type { Markdown, Media } from "@factotum/channel-contract";
import { htmlDocument, plainText, renderMarkdown } from "@factotum/channel-kit";
import type { MailComposerOptions } from "nodemailer/lib/mail-composer";
import type { MailReplyContext } from "../reply-context.ts";
import { replySubject } from "../subject.ts";

/** A mail to send. */
export interface OutgoingMail {
  readonly to: string;
  readonly messageId: string;
  readonly subject: string;
  /** The mail that it answers; none begins a thread. */
  readonly inReplyTo: string | undefined;
  /** Oldest first. */
  readonly references: readonly string[];
  readonly text: Markdown;
  readonly files: readonly Media[];
  readonly atMs: number;
}

const DIALECTS = { text: plainText(), html: htmlDocument() };
const MAX_SUBJECT = 78;
/** The first line is looked for in so many characters. */
const SUBJECT_SOURCE = 2_000;

/** The mail as the library composes it: the text as plain text and as HTML, and the files. */
export function renderMail(mail: OutgoingMail, from: { readonly address: string; readonly name: string | undefined }): MailComposerOptions {
  const { to, messageId, subject, inReplyTo, references, text, files, atMs } = mail;
  const bodies = text.trim() === "" ? { text: "" } : { text: render(text, "text"), html: page(render(text, "html")) };
  return {
    from: from.name === undefined ? from.address : { name: from.name, address: from.address },
    to,
    subject,
    messageId,
    date: new Date(atMs),
    ...(inReplyTo !== undefined && { inReplyTo, references: [...references] }),
    headers: {
      // Programs that answer by themselves leave these mails alone.
      "Auto-Submitted": inReplyTo === undefined ? "auto-generated" : "auto-replied",
      "X-Auto-Response-Suppress": "OOF, AutoReply",
    },
    ...bodies,
    textEncoding: "base64",
    attachments: files.map(({ bytes, fileName, mimeType }) => ({
      filename: fileName ?? `file.${mimeType.split("/")[1]?.replaceAll(/[^\w]/g, "") || "bin"}`,
      content: Buffer.from(bytes),
      contentType: mimeType,
    })),
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

/** The subject of an answer, or of a mail that begins a thread: its first line, or the name of its file. */
export function subjectOf(
  { text, files }: Pick<OutgoingMail, "text" | "files">,
  answered: Pick<MailReplyContext, "subject"> | undefined,
): string {
  if (answered !== undefined) return replySubject(answered.subject);
  const first =
    render(text.slice(0, SUBJECT_SOURCE), "text")
      .split("\n")
      .find((line) => line.trim() !== "") ??
    files[0]?.fileName ??
    "";
  const line = first.replaceAll(/\s+/g, " ").trim();
  return line.length <= MAX_SUBJECT ? line : `${line.slice(0, MAX_SUBJECT - 1).replace(/\s+\S*$/, "")}…`;
}

function render(text: Markdown, dialect: keyof typeof DIALECTS): string {
  return renderMarkdown(text, { dialect: DIALECTS[dialect] }).join("\n");
}

function page(body: string): string {
  return `<!doctype html>\n<html><head><meta charset="utf-8"></head><body>\n${body}\n</body></html>\n`;
}
