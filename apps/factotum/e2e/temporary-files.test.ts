import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { startProduct } from "@factotum/testing-product";
import { afterEach, beforeEach, expect, test } from "vitest";

/** Where the folders outside of the home are. */
let outside: string;
beforeEach(async () => {
  outside = await mkdtemp(path.join(tmpdir(), "factotum-outside-"));
});
afterEach(() => rm(outside, { recursive: true, force: true }));

test("a start removes unfinished files of a killed gateway, in workspaces, folders of guests and the state directory, and nothing of the user's", async () => {
  const [work, guests] = [path.join(outside, "work"), path.join(outside, "guests")];
  const config = { agents: { defaults: { workspace: work, sandbox: { workspaceRoot: guests } } } };
  await using first = await startProduct({ config });
  await first.end("SIGKILL");
  const put = async (folder: string, name: string): Promise<string> => {
    const file = path.join(folder, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, "half");
    return file;
  };
  const temporary = (): string => `.factotum-${first.pid}-${randomUUID()}.tmp`;
  const left = await Promise.all([
    put(first.home, temporary()),
    put(first.home, `state/${temporary()}`),
    put(first.home, `media/uploads/waiting/${temporary()}`),
    put(work, `notes/2026/${temporary()}`),
    put(guests, `somebody/${temporary()}`),
    put(first.home, "state/snapshots/unchecked.sqlite"),
    put(first.home, "state/recovering/factotum.sqlite"),
  ]);
  const kept = await Promise.all([
    put(work, "notes/draft.tmp"),
    put(work, `.${randomUUID()}.tmp`),
    put(work, ".factotum-1-mine.tmp"),
    put(guests, "somebody/draft.tmp"),
  ]);

  await using second = await startProduct({ home: first.home });
  expect(second.pid).not.toBe(first.pid);
  await expect.poll(() => left.filter((file) => existsSync(file)), { timeout: 20_000 }).toEqual([]);
  expect(kept.filter((file) => !existsSync(file))).toEqual([]);
});
