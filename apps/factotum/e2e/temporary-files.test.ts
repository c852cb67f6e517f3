import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { startProduct } from "@factotum/testing-product";
import { expect, test } from "vitest";

test("a start removes what a killed gateway was writing, in workspaces and in the state directory, and nothing of the user's", async () => {
  await using first = await startProduct({ config: { agents: { defaults: { workspace: "~/work" } } } });
  await first.end("SIGKILL");
  const put = async (name: string): Promise<string> => {
    const file = path.join(first.home, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, "half");
    return file;
  };
  const temporary = (): string => `.factotum-${first.pid}-${randomUUID()}.tmp`;
  const left = await Promise.all([
    put(temporary()),
    put(`state/${temporary()}`),
    put(`media/uploads/waiting/${temporary()}`),
    put(`work/notes/2026/${temporary()}`),
    put("state/snapshots/unchecked.sqlite"),
    put("state/recovering/factotum.sqlite"),
  ]);
  const kept = await Promise.all([put("work/notes/draft.tmp"), put(`work/.${randomUUID()}.tmp`), put(`work/.factotum-1-mine.tmp`)]);

  await using second = await startProduct({ home: first.home });
  expect(second.pid).not.toBe(first.pid);
  await expect.poll(() => left.filter((file) => existsSync(file)), { timeout: 20_000 }).toEqual([]);
  expect(kept.filter((file) => !existsSync(file))).toEqual([]);
});
