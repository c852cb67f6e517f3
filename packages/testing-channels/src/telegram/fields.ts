import { badRequest } from "./refusal.ts";

/** An uploaded file. */
export interface TelegramUpload {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** The parameters of a request: of JSON, of a form, or of a multipart body, whose values are text. */
export class TelegramFields {
  readonly values: Readonly<Record<string, unknown>>;
  readonly #files: ReadonlyMap<string, TelegramUpload>;

  constructor(values: Readonly<Record<string, unknown>>, files: ReadonlyMap<string, TelegramUpload>) {
    this.values = values;
    this.#files = files;
  }

  text(name: string): string | undefined {
    const value = this.values[name];
    return value === undefined ? undefined : typeof value === "string" ? value : JSON.stringify(value);
  }

  number(name: string): number | undefined {
    const value = this.values[name];
    if (value === undefined) return undefined;
    const number = Number(value);
    if (!Number.isSafeInteger(number)) throw badRequest(`field "${name}" must be a number`);
    return number;
  }

  flag(name: string): boolean {
    return this.values[name] === true || this.values[name] === "true";
  }

  /** A structure; in a form it is JSON. */
  json(name: string): unknown {
    const value = this.values[name];
    if (typeof value !== "string") return value;
    try {
      return JSON.parse(value);
    } catch (cause) {
      if (cause instanceof SyntaxError) throw badRequest(`can't parse ${name} JSON object`);
      throw cause;
    }
  }

  /** The uploaded file that a value names with `attach://`. */
  upload(value: unknown): TelegramUpload {
    const file = typeof value === "string" ? this.#files.get(value.replace("attach://", "")) : undefined;
    if (file === undefined) throw badRequest("invalid file HTTP URL specified");
    if (file.bytes.length === 0) throw badRequest("file must be non-empty");
    return file;
  }
}

/** Parses the body of a request. */
export function parseFields(body: Buffer, contentType: string): TelegramFields {
  const boundary = /^multipart\/form-data;\s*boundary="?([^";]+)"?/.exec(contentType)?.[1];
  if (boundary !== undefined) return parseMultipart(body, boundary);
  if (contentType.startsWith("application/json"))
    return new TelegramFields(body.length === 0 ? {} : (JSON.parse(body.toString("utf8")) as Readonly<Record<string, unknown>>), new Map());
  return new TelegramFields(Object.fromEntries(new URLSearchParams(body.toString("utf8"))), new Map());
}

function parseMultipart(body: Buffer, boundary: string): TelegramFields {
  const values: Record<string, unknown> = {};
  const files = new Map<string, TelegramUpload>();
  const separator = Buffer.from(`--${boundary}`);
  let at = body.indexOf(separator);
  while (at !== -1) {
    const start = at + separator.length + 2;
    const end = body.indexOf(separator, start);
    if (end === -1) break;
    const part = body.subarray(start, end - 2);
    const head = part.indexOf("\r\n\r\n");
    const headers = part.subarray(0, head).toString("utf8");
    const content = part.subarray(head + 4);
    const name = /;\s*name="([^"]*)"/.exec(headers)?.[1] ?? "";
    // A name that is not quoted ends at the first character that a token cannot have.
    const [, quoted, token] = /;\s*filename=(?:"([^"\r\n]*)"|([\w.-]+))/.exec(headers) ?? [];
    const fileName = quoted ?? token;
    if (fileName === undefined) values[name] = content.toString("utf8");
    else files.set(name, { name: fileName, bytes: content });
    at = end;
  }
  return new TelegramFields(values, files);
}
