import { addressId } from "../conversation-id.ts";
import { loadParser } from "../load-libraries.ts";
import { idOfHeaders, isMessageId } from "../message-id.ts";

/** The headers of a mail. */
export interface MailHeaders {
  /** The values of a header, topmost first, as they were written, on one line each. The name is in lower case. */
  readonly all: (name: string) => readonly string[];
  /** The one address in From; `undefined` if there is none, several, or one that programs could read differently. */
  readonly from: { readonly address: string; readonly name?: string } | undefined;
  readonly subject: string;
  readonly messageId: string;
  readonly inReplyTo: string | undefined;
  /** Oldest first. */
  readonly references: readonly string[];
  /** By the sender's clock, milliseconds since the epoch; 0 if unknown. */
  readonly sentAtMs: number;
}

const MAX_SUBJECT = 500;
const MAX_REFERENCES = 100;
const MAX_NAME = 200;

/** Parses the header block of a mail. */
export async function parseHeaders(bytes: Buffer): Promise<MailHeaders> {
  const parse = await loadParser();
  const mail = await parse(bytes, { skipTextToHtml: true, skipHtmlToText: true });
  const lines = mail.headerLines.map(({ key, line }) => ({ key, value: unfold(line) }));
  const all = (name: string): readonly string[] => lines.filter(({ key }) => key === name).map(({ value }) => value);
  const own = idsIn(all("message-id")[0] ?? "")[0];
  const address = strictAddress(all("from"));
  const name = oneLine(mail.from?.value[0]?.name ?? "", MAX_NAME);
  const date = mail.date?.getTime();
  return {
    all,
    from: address === undefined ? undefined : { address, ...(name !== "" && { name }) },
    subject: oneLine(mail.subject ?? "", MAX_SUBJECT),
    messageId: own ?? idOfHeaders(bytes),
    inReplyTo: idsIn(all("in-reply-to")[0] ?? "").at(-1),
    references: idsIn(all("references")[0] ?? "").slice(-MAX_REFERENCES),
    sentAtMs: date !== undefined && Number.isFinite(date) && date > 0 ? date : 0,
  };
}

/**
 * The address of From, only if no program could read another one: one header with one address, which stands alone or in angle brackets behind a name. What is
 * quoted in the name counts for nothing.
 */
function strictAddress(values: readonly string[]): string | undefined {
  const [value, ...more] = values;
  if (value === undefined || more.length > 0) return undefined;
  const plain = value.replaceAll(/"(?:[^"\\]|\\.)*"/g, " ").trim();
  const [, bracketed] = /^[^<>@,;:()"]*<([^<>]+)>$/.exec(plain) ?? [];
  if (bracketed !== undefined) return addressId(bracketed);
  return /[\s<>]/.test(plain) || plain !== value.trim() ? undefined : addressId(plain);
}

function idsIn(value: string): readonly string[] {
  return (value.match(/<[^<>]*>/g) ?? []).filter(isMessageId);
}

/** The value of a header line, without its line breaks; the library gives its bytes as Latin-1. */
function unfold(line: string): string {
  return Buffer.from(line, "latin1")
    .toString("utf8")
    .replace(/^[^:]*:/, "")
    .replaceAll(/\r?\n/g, "")
    .trim();
}

function oneLine(text: string, maxLength: number): string {
  return text
    .replaceAll(/[\p{Cc}\u2028\u2029]+/gu, " ")
    .trim()
    .slice(0, maxLength);
}
