import { readdir, readFile } from "node:fs/promises";
import path from "node:path";

/** What the pages of the Control UI may do: their own scripts and styles, their own socket, nothing from anywhere else. */
const CONTENT_SECURITY_POLICY: string = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
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
};

/** Serves the built pages: exactly the files that the folder holds, so that no path leads out of it. */
export class StaticFiles {
  readonly #folder: string;
  #paths: Promise<ReadonlySet<string>> | undefined;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** The file of a path; `/` is the page. `undefined` when there is none. */
  async serve(urlPath: string): Promise<Response | undefined> {
    this.#paths ??= listFiles(this.#folder);
    const name = urlPath === "/" ? "index.html" : urlPath.slice(1);
    if (!(await this.#paths).has(name)) return undefined;
    const body = await readFile(path.join(this.#folder, ...name.split("/")));
    // The build puts a hash into the names of everything but the page.
    const caching = name.startsWith("assets/") ? "public, max-age=31536000, immutable" : "no-cache";
    return new Response(new Uint8Array(body), {
      headers: {
        ...SECURITY_HEADERS,
        "content-type": CONTENT_TYPES[path.extname(name)] ?? "application/octet-stream",
        "cache-control": caching,
      },
    });
  }
}

async function listFiles(folder: string): Promise<ReadonlySet<string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return new Set(
    entries
      .filter((entry) => entry.isFile())
      .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)).split(path.sep).join("/")),
  );
}
