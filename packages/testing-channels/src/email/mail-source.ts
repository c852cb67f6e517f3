/** A mail to write down. Header values must be ASCII, or are encoded as words. */
export interface MailSource {
  /** The value of From: an address, or `Name <address>`. */
  readonly from: string;
  readonly to?: string;
  readonly subject?: string;
  readonly messageId: string;
  /** The mails before it in its thread, oldest first; it answers the last one. */
  readonly references?: readonly string[];
  readonly text?: string;
  readonly html?: string;
  readonly files?: readonly MailFile[];
  readonly atMs?: number;
  /** Headers above all others, as a receiving server adds them, in this order. */
  readonly trace?: readonly string[];
  /** More headers of the sender, each `Name: value`. */
  readonly headers?: readonly string[];
}

/** A file of a mail. */
export interface MailFile {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly mimeType?: string;
}

/** Writes a mail as bytes, with lines that end as on the wire. */
export function mailSource(mail: MailSource): Buffer {
  const { from, to, subject, messageId, references = [], text, html, files = [], atMs, trace = [], headers = [] } = mail;
  const answered = references.at(-1);
  const head = [
    ...trace,
    `From: ${encodeWords(from)}`,
    ...(to === undefined ? [] : [`To: ${to}`]),
    ...(subject === undefined ? [] : [`Subject: ${encodeWords(subject)}`]),
    `Message-ID: ${messageId}`,
    ...(answered === undefined ? [] : [`In-Reply-To: ${answered}`, `References: ${references.join("\r\n ")}`]),
    `Date: ${new Date(atMs ?? 1_767_225_600_000).toUTCString().replace("GMT", "+0000")}`,
    "MIME-Version: 1.0",
    ...headers,
  ];
  const texts = [
    ...(text === undefined ? [] : [part("text/plain; charset=utf-8", Buffer.from(text))]),
    ...(html === undefined ? [] : [part("text/html; charset=utf-8", Buffer.from(html))]),
  ];
  const body = texts.length > 1 ? multipart("alternative", texts) : (texts[0] ?? part("text/plain; charset=utf-8", Buffer.alloc(0)));
  const whole = files.length === 0 ? body : multipart("mixed", [body, ...files.map(filePart)]);
  return Buffer.from(`${head.join("\r\n")}\r\n${whole}`, "utf8");
}

function filePart({ name, bytes, mimeType = "application/octet-stream" }: MailFile): string {
  const encoded = encodeURIComponent(name).replaceAll(/['()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
  return part(mimeType, bytes, [`Content-Disposition: attachment; filename*=utf-8''${encoded}`]);
}

function part(type: string, bytes: Uint8Array, more: readonly string[] = []): string {
  const encoded = Buffer.from(bytes).toString("base64").replaceAll(/.{76}/g, "$&\r\n");
  return `${[`Content-Type: ${type}`, "Content-Transfer-Encoding: base64", ...more].join("\r\n")}\r\n\r\n${encoded}\r\n`;
}

function multipart(kind: string, parts: readonly string[]): string {
  const boundary = `${kind}-boundary-${parts.length}`;
  return `Content-Type: multipart/${kind}; boundary="${boundary}"\r\n\r\n${parts.map((one) => `--${boundary}\r\n${one}`).join("")}--${boundary}--\r\n`;
}

function encodeWords(text: string): string {
  return text.replaceAll(/[^\x20-\x7e]+/g, (word) => `=?utf-8?B?${Buffer.from(word).toString("base64")}?=`);
}
