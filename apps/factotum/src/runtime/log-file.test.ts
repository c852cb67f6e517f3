import { mkdir, mkdtemp, readFile, rm, rmdir, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { LogFile } from "./log-file.ts";
import { followLog, readLastLines } from "./read-log.ts";

async function withFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "factotum-log-"));
  try {
    await work(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

const unexpected = (error: unknown): never => {
  throw new Error("the log could not be written", { cause: error });
};

test("the newest lines stay, complete and in order, in two files of bounded size", async () => {
  await withFolder(async (folder) => {
    const path = join(folder, "logs", "gateway.log");
    const lines = Array.from({ length: 200 }, (_, index) => `line ${index} ${"é".repeat(index % 7)}\n`);
    for (const some of [lines.slice(0, 50), lines.slice(50, 120), lines.slice(120)]) {
      const log = await LogFile.open(path, { maxBytes: 500, onFailure: unexpected });
      for (const line of some) {
        log.write(line);
        await Promise.resolve();
      }
      await log[Symbol.asyncDispose]();
    }
    const single = await LogFile.open(path, { maxBytes: 500, onFailure: unexpected });
    for (const line of lines) {
      single.write(line);
      await single[Symbol.asyncDispose]();
      expect((await stat(path)).size).toBeLessThanOrEqual(500);
    }
    const kept = `${await readFile(`${path}.1`, "utf8")}${await readFile(path, "utf8")}`;
    expect(lines.join("").endsWith(kept)).toBe(true);
    expect(kept.length).toBeGreaterThan(300);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });
});

test("a write failure is reported once, blocks no one, and the file says how much is missing", async () => {
  await withFolder(async (folder) => {
    const path = join(folder, "gateway.log");
    await mkdir(path);
    const failures: unknown[] = [];
    const log = await LogFile.open(path, { onFailure: (error) => void failures.push(error) });
    for (const line of ["one\n", "two\n", "three\n"]) {
      log.write(line);
      await log[Symbol.asyncDispose]();
    }
    expect(failures).toMatchObject([{ code: "EISDIR" }]);
    await rmdir(path);
    log.write("four\n");
    await log[Symbol.asyncDispose]();
    const [missing = "", four] = (await readFile(path, "utf8")).split("\n");
    expect(JSON.parse(missing)).toMatchObject({ level: "warn", lines: 3 });
    expect(four).toBe("four");
  });
});

test("a removed log continues in a new file", async () => {
  await withFolder(async (folder) => {
    const path = join(folder, "gateway.log");
    const failures: unknown[] = [];
    const log = await LogFile.open(path, { maxBytes: 60, onFailure: (error) => void failures.push(error) });
    log.write(`${"x".repeat(50)}\n`);
    await rm(path);
    log.write(`${"y".repeat(50)}\n`);
    await log[Symbol.asyncDispose]();
    expect(failures).toEqual([]);
    expect(await readFile(path, "utf8")).toBe(`${"y".repeat(50)}\n`);
  });
});

test("lines over the buffer limit are dropped and counted", async () => {
  await withFolder(async (folder) => {
    const path = join(folder, "gateway.log");
    const log = await LogFile.open(path, { onFailure: unexpected });
    for (let index = 0; index < 40; index += 1) log.write(`${"x".repeat(65_536)}\n`);
    await log[Symbol.asyncDispose]();
    log.write("after\n");
    await log[Symbol.asyncDispose]();
    const lines = (await readFile(path, "utf8")).trimEnd().split("\n");
    const missing = lines.flatMap((line) => (line.startsWith("{") ? [(JSON.parse(line) as { lines: number }).lines] : []));
    expect(lines.filter((line) => line.startsWith("x")).length + missing.reduce((sum, count) => sum + count, 0)).toBe(40);
    expect(missing[0]).toBeGreaterThan(10);
    expect(lines.at(-1)).toBe("after");
  });
});

test("a follower gets every line once, across files that are rotated, truncated or not there yet", async () => {
  await withFolder(async (folder) => {
    const path = join(folder, "gateway.log");
    const stop = new AbortController();
    const { position } = await readLastLines(path, 10, () => true);
    const following = followLog(path, position, { signal: stop.signal });
    const next = async (): Promise<string | undefined> => (await following.next()).value ?? undefined;
    const log = await LogFile.open(path, { maxBytes: 60, onFailure: unexpected });
    for (let index = 0; index < 12; index += 1) {
      log.write(`line ${index} äöü ${"-".repeat(10)}\n`);
      expect(await next()).toContain(`line ${index} äöü`);
    }
    await log[Symbol.asyncDispose]();
    await writeFile(path, "cut\n");
    expect(await next()).toBe("cut");
    stop.abort();
    expect((await following.next()).done).toBe(true);
  });
});
