import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readArchive, type ArchiveVisitor } from "./read-archive.ts";
import { writeArchive, type ArchiveEntry } from "./write-archive.ts";

const { signal } = new AbortController();
const head = { format: 1, version: "1.0.0", createdAtMs: 0 };

async function* zeros(count: number, bytes: number): AsyncIterable<ArchiveEntry> {
  for (let index = 0; index < count; index += 1)
    yield { type: "file", path: `zeros-${index}`, bytes, mode: 0o600, modifiedAtMs: 0, body: [new Uint8Array(bytes)] };
}

test("stops before more is unpacked than there is space for, whatever the size of the archive", async () => {
  const folder = await mkdtemp(join(tmpdir(), "factotum-archive-"));
  try {
    const file = join(folder, "backup.tar.gz");
    const facts = { ...head, home: "/home", secrets: false, workspaces: [], leftOut: [], leftOutCount: 0 };
    await writeArchive(file, { head, entries: zeros(10, 1_000_000), manifest: (files) => ({ ...facts, files }) }, { signal });
    let bytes = 0;
    const visitor: ArchiveVisitor = {
      folder: async () => undefined,
      file: async (_path, body) => {
        for await (const chunk of body) bytes += chunk.length;
      },
    };
    await expect(readArchive(file, visitor, { maxBytes: 3_500_000, signal })).rejects.toThrow(/unpacks to more than/);
    expect(bytes).toBe(3_000_000);
    expect((await readArchive(file, visitor, { maxBytes: 10_000_000, signal })).files).toHaveLength(10);
  } finally {
    await rm(folder, { recursive: true });
  }
});
