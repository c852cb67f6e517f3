import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { type ContentEncoding, negotiateEncoding } from "./negotiate-encoding.ts";

/** The content security policy of the Control UI: its own scripts and styles, its own socket, nothing from elsewhere. */
const CONTENT_SECURITY_POLICY: string = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".ico": "image/x-icon",
  ".json": "application/json; charset=utf-8",
  ".webmanifest": "application/manifest+json",
  ".woff2": "font/woff2",
};

const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  "content-security-policy": CONTENT_SECURITY_POLICY,
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  // What a person says into the message field is transcribed.
  "permissions-policy": "microphone=(self), camera=(), geolocation=()",
};

/** Precompressed encodings by file extension. */
const FORMS: Readonly<Record<string, ContentEncoding>> = { ".br": "br", ".gz": "gzip" };

/** The request headers that select an encoding. */
type FileRequest = Pick<Headers, "get">;

/**
 * Serves the built pages: exactly the files in the folder, so that no path leads out of it, in the smallest encoding that the client accepts. The build
 * compresses them, nothing does here. Every response has a strong `etag` of its bytes; a client that has them gets 304.
 */
export class StaticFiles {
  readonly #folder: string;
  #files: Promise<ReadonlyMap<string, ReadonlySet<ContentEncoding>>> | undefined;
  /** By the path of the form. The files of a build do not change while the gateway runs. */
  readonly #tags = new Map<string, string>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** The file of a path; `/` is the page. `undefined` if there is none. */
  async serve(urlPath: string, request: FileRequest): Promise<Response | undefined> {
    this.#files ??= listFiles(this.#folder);
    const name = urlPath === "/" ? "index.html" : urlPath.slice(1);
    const forms = (await this.#files).get(name);
    if (forms === undefined) return undefined;
    const encoding = negotiateEncoding(request.get("accept-encoding"), forms);
    const form = name + extensionOf(encoding);
    const known = this.#tags.get(form);
    const headers = headersOf(name, { encoding, varies: forms.size > 1 });
    if (known !== undefined && isKnown(request, known)) return new Response(null, { status: 304, headers: { ...headers, etag: known } });
    const body = await readFile(path.join(this.#folder, ...form.split("/")));
    const etag = known ?? `"${createHash("sha256").update(body).digest("base64url").slice(0, 22)}"`;
    this.#tags.set(form, etag);
    if (isKnown(request, etag)) return new Response(null, { status: 304, headers: { ...headers, etag } });
    return new Response(new Uint8Array(body), { headers: { ...headers, etag, "content-length": String(body.length) } });
  }
}

function headersOf(name: string, form: { readonly encoding: ContentEncoding; readonly varies: boolean }): Readonly<Record<string, string>> {
  return {
    ...SECURITY_HEADERS,
    "content-type": CONTENT_TYPES[path.extname(name)] ?? "application/octet-stream",
    // The build puts a hash into the names of everything but the page.
    "cache-control": name.startsWith("assets/") ? "public, max-age=31536000, immutable" : "no-cache",
    ...(form.varies ? { vary: "accept-encoding" } : {}),
    ...(form.encoding === "identity" ? {} : { "content-encoding": form.encoding }),
  };
}

/** True when the client has these bytes. */
function isKnown(request: FileRequest, etag: string): boolean {
  const tags = request.get("if-none-match")?.split(",") ?? [];
  return tags.some((tag) => ["*", etag, `W/${etag}`].includes(tag.trim()));
}

function extensionOf(encoding: ContentEncoding): string {
  return Object.keys(FORMS).find((extension) => FORMS[extension] === encoding) ?? "";
}

/** Files with their available encodings; a compressed file is not a file of its own. */
async function listFiles(folder: string): Promise<ReadonlyMap<string, ReadonlySet<ContentEncoding>>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const names = new Set(
    entries
      .filter((entry) => entry.isFile())
      .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)).split(path.sep).join("/")),
  );
  const files = new Map<string, ReadonlySet<ContentEncoding>>();
  for (const name of names) {
    const extension = path.posix.extname(name);
    if (FORMS[extension] !== undefined && names.has(name.slice(0, -extension.length))) continue;
    const compressed = Object.keys(FORMS).flatMap((form) => (names.has(name + form) ? [FORMS[form] ?? "identity"] : []));
    files.set(name, new Set<ContentEncoding>(["identity", ...compressed]));
  }
  return files;
}
