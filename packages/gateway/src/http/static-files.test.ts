import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { negotiateEncoding } from "./negotiate-encoding.ts";
import { StaticFiles } from "./static-files.ts";

const SCRIPT = "console.log(1);\n".repeat(100);
let folder: string;
let files: StaticFiles;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "factotum-static-"));
  await mkdir(path.join(folder, "assets"));
  await writeFile(path.join(folder, "index.html"), "<!doctype html>");
  await writeFile(path.join(folder, "assets", "app-1a2b.js"), SCRIPT);
  await writeFile(path.join(folder, "assets", "app-1a2b.js.br"), brotliCompressSync(SCRIPT));
  await writeFile(path.join(folder, "assets", "app-1a2b.js.gz"), gzipSync(SCRIPT));
  await writeFile(path.join(folder, "archive.gz"), "not a form of anything");
  files = new StaticFiles(folder);
});
afterAll(() => rm(folder, { recursive: true }));

const get = (name: string, headers: Record<string, string> = {}): Promise<Response | undefined> => files.serve(name, new Headers(headers));

async function script(acceptEncoding: string): Promise<Response> {
  const response = await get("/assets/app-1a2b.js", { "accept-encoding": acceptEncoding });
  if (response === undefined) throw new Error("There is no script.");
  return response;
}

describe("a script", () => {
  test("is sent in the smallest encoding that the client accepts", async () => {
    const bytes = async (response: Response): Promise<Buffer> => Buffer.from(await response.arrayBuffer());
    const br = await script("gzip, deflate, br, zstd");
    expect(br.headers.get("content-encoding")).toBe("br");
    expect(br.headers.get("content-type")).toBe("text/javascript; charset=utf-8");
    const sent = await bytes(br);
    expect(br.headers.get("content-length")).toBe(String(sent.length));
    expect(brotliDecompressSync(sent).toString()).toBe(SCRIPT);
    const gzip = await script("gzip");
    expect(gzip.headers.get("content-encoding")).toBe("gzip");
    expect(gunzipSync(await bytes(gzip)).toString()).toBe(SCRIPT);
    const plain = await script("zstd");
    expect(plain.headers.get("content-encoding")).toBeNull();
    expect(await plain.text()).toBe(SCRIPT);
  });

  test("may be cached permanently, and tells caches that its encoding depends on the client", async () => {
    for (const encoding of ["br", "gzip", "identity"]) {
      const { headers } = await script(encoding);
      expect(headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
      expect(headers.get("vary")).toBe("accept-encoding");
      expect(headers.get("content-security-policy")).toContain("default-src 'none'");
    }
  });

  test("has a strong ETag per encoding, and a client that has it gets 304 without a body", async () => {
    const tags = await Promise.all(["br", "gzip", "identity"].map(async (encoding) => (await script(encoding)).headers.get("etag") ?? ""));
    expect(new Set(tags).size).toBe(3);
    for (const tag of tags) expect(tag).toMatch(/^"[\w-]+"$/);
    const [br = "", gzip = ""] = tags;
    const again = (tag: string): Promise<Response | undefined> =>
      get("/assets/app-1a2b.js", { "accept-encoding": "br", "if-none-match": tag });
    for (const tag of [br, `W/${br}`, `"other", ${br}`, "*"]) {
      const response = await again(tag);
      expect(response?.status).toBe(304);
      expect(response?.headers.get("etag")).toBe(br);
      expect(response?.headers.get("vary")).toBe("accept-encoding");
      expect(await response?.text()).toBe("");
    }
    expect((await again(gzip))?.status).toBe(200);
    // A gateway that has just started knows it too.
    const restarted = await new StaticFiles(folder).serve(
      "/assets/app-1a2b.js",
      new Headers({ "accept-encoding": "br", "if-none-match": br }),
    );
    expect(restarted?.status).toBe(304);
  });
});

test("the page is revalidated each time", async () => {
  const page = await get("/", { "accept-encoding": "br" });
  expect(page?.headers.get("cache-control")).toBe("no-cache");
  expect(page?.headers.get("content-encoding")).toBeNull();
  expect(page?.headers.get("vary")).toBeNull();
  expect((await get("/", { "if-none-match": page?.headers.get("etag") ?? "" }))?.status).toBe(304);
});

test("a compressed file is not a file of its own, and no path leads out of the folder", async () => {
  expect(await get("/assets/app-1a2b.js.br")).toBeUndefined();
  expect(await get("/assets/app-1a2b.js.gz")).toBeUndefined();
  expect(await get("/archive.gz")).toBeDefined();
  expect(await get("/../static-files.ts")).toBeUndefined();
  expect(await get("/assets")).toBeUndefined();
});

test.each([
  [null, "identity"],
  ["", "identity"],
  ["br;q=0, gzip", "gzip"],
  ["br;q=0.2, gzip;q=0.8", "gzip"],
  ["*", "br"],
  ["*;q=0.5, br;q=0", "gzip"],
  ["identity, br;q=0.5", "identity"],
  ["X-GZIP", "gzip"],
  ["br;q=nonsense", "identity"],
  ["identity;q=0, *;q=0", "identity"],
])("accept-encoding %j leads to %s", (header, encoding) => {
  expect(negotiateEncoding(header, new Set(["identity", "br", "gzip"]))).toBe(encoding);
});
