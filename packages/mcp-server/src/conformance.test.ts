import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { createConformanceEndpoint } from "../test/conformance-server.ts";

const SUITE = new URL("./", import.meta.resolve("@modelcontextprotocol/conformance/package.json"));

test.each(["2026-07-28", "2025-11-25"])(
  "every server scenario that %s requires passes, and the README lists it",
  { timeout: 300_000 },
  async (revision) => {
    const endpoint = await createConformanceEndpoint().listen(0);
    const results = await mkdtemp(join(tmpdir(), "factotum-conformance-"));
    try {
      const words = ["server", "--url", endpoint.url, "--requirements", revision, "--output-dir", results];
      const { stdout } = await promisify(execFile)(process.execPath, [fileURLToPath(new URL("dist/index.js", SUITE)), ...words], {
        maxBuffer: 50_000_000,
      });
      const required = await requiredOf(revision);
      expect(required.length).toBeGreaterThan(20);
      const readme = await readFile(new URL("../README.md", import.meta.url), "utf8");
      const [, list = ""] = new RegExp(`^- ${revision}: (.+)$`, "m").exec(readme) ?? [];
      expect([...list.matchAll(/`([^`]+)`/g)].map(([, name]) => name)).toEqual(required);
      for (const name of required) expect(stdout).toMatch(new RegExp(`^✓ ${name}: [1-9]\\d* passed, 0 failed$`, "m"));
    } finally {
      await endpoint.close();
      await rm(results, { recursive: true, force: true });
    }
  },
);

async function requiredOf(revision: string): Promise<readonly string[]> {
  const requirements = await readFile(new URL(`requirements/${revision}.yaml`, SUITE), "utf8");
  const [, list = ""] = /^server:\n((?: {2}- .+\n)+)/m.exec(requirements) ?? [];
  return [...list.matchAll(/^ {2}- (\S+)$/gm)].map(([, name = ""]) => name);
}
