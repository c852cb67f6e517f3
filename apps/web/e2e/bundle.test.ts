import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";

const DIST = fileURLToPath(new URL("../dist", import.meta.url));
const MAX_GZIP_BYTES = 150 * 1024;

async function readBuild(): Promise<Map<string, Buffer>> {
  const entries = await readdir(DIST, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return new Map(await Promise.all(paths.map(async (path): Promise<[string, Buffer]> => [path, await readFile(path)])));
}

test("the whole page is at most 150 kB compressed", async () => {
  const build = await readBuild();
  expect([...build.keys()].some((path) => path.endsWith(".js"))).toBe(true);
  const bytes = [...build.values()].reduce((sum, file) => sum + gzipSync(file).length, 0);
  expect(bytes).toBeLessThanOrEqual(MAX_GZIP_BYTES);
});

test("the page holds no inline code or style and names no other host", async () => {
  const html = (await readFile(join(DIST, "index.html"), "utf8")).toLowerCase();
  expect(html).not.toMatch(/<script(?![^>]*\ssrc=)|<style|\sstyle=|\son\w+=/);
  for (const [path, bytes] of await readBuild()) {
    if (/\.(html|css)$/.test(path)) expect(bytes.toString("utf8")).not.toMatch(/https?:|\/\/[a-z]|@import|data:/i);
  }
});
