import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { SessionImportReportSchema } from "@factotum/protocol";
import { runCommand, startProduct } from "@factotum/testing-product";
import type { Product } from "@factotum/testing-product";
import { afterAll, beforeAll, expect, test } from "vitest";

const ENTRIES = 30_000;

let folder = "";
let file = "";
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "factotum-large-"));
  file = path.join(folder, "large.jsonl");
  const out = createWriteStream(file);
  const filler = "lorem ipsum dolor sit amet ".repeat(40);
  out.write(`${JSON.stringify({ type: "session", version: 3, id: "large", timestamp: "2026-01-30T12:00:00.000Z", cwd: "/home/them" })}\n`);
  for (let index = 0; index < ENTRIES; index += 1) {
    const message = { role: index % 2 === 0 ? "user" : "assistant", content: `${index} ${filler}`, timestamp: 1_769_774_400_000 + index };
    if (!out.write(`${JSON.stringify({ type: "message", message })}\n`)) await once(out, "drain");
  }
  out.end('{"type":"message","mess');
  await once(out, "finish");
});
afterAll(() => rm(folder, { recursive: true }));

async function sessionsOf(product: Product): Promise<readonly unknown[]> {
  const { stdout } = await runCommand(["sessions", "list", "--json"], product);
  return (JSON.parse(stdout) as { readonly sessions: readonly unknown[] }).sessions;
}

/** Bytes of the database's files. */
async function storedBytes(home: string): Promise<number> {
  const sizes = ["factotum.sqlite", "factotum.sqlite-wal"].map(async (name) => (await stat(path.join(home, "state", name))).size);
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

test("a kill during a large import leaves nothing of it, and the next import is complete", { timeout: 300_000 }, async () => {
  await using first = await startProduct();
  const { home } = first;
  const before = await storedBytes(home);
  const importing = runCommand(["sessions", "import", file, "--key", "agent:main:large"], { home });
  await expect.poll(async () => (await storedBytes(home)) - before, { interval: 5, timeout: 120_000 }).toBeGreaterThan(2_000_000);
  await first.end("SIGKILL");
  expect((await importing).code).not.toBe(0);

  await using second = await startProduct({ home });
  expect(await sessionsOf(second)).toEqual([]);
  const { stdout } = await runCommand(["sessions", "import", file, "--key", "agent:main:large", "--json"], second);
  const [imported] = SessionImportReportSchema.parse(JSON.parse(stdout)).imported;
  expect(imported).toMatchObject({ key: "agent:main:large", sessionId: "large", entries: ENTRIES });
  expect(imported?.problems.join()).toContain("cut off");
  expect(await sessionsOf(second)).toHaveLength(1);
});
