import { execFileSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { expect, test } from "vitest";
import { CliHome } from "../../test/cli.ts";
import { readStandardInput } from "../runtime/utf8-text.ts";

const WRITES = [
  ["files", "write", "SOUL.md"],
  ["memory", "write", "MEMORY.md"],
] as const;

test("a text that is no UTF-8, too long or in no regular file is refused before anything is sent, in words", async () => {
  await using cli = await CliHome.create();
  const source = join(cli.home, "new.md");
  const refusal = async (write: readonly string[], content: string | Uint8Array): Promise<string> => {
    await writeFile(source, content);
    const { code, stderr } = await cli.run(...write, source);
    expect(code).toBe(2);
    return stderr;
  };
  const pipe = join(cli.home, "pipe");
  execFileSync("sh", ["-c", `mkfifo "$0"`, pipe]);
  for (const write of WRITES) {
    for (const bytes of [Buffer.from([0x89, 0x50, 0x4e, 0x47, 0xff]), Buffer.from("c4e3bac3", "hex"), Buffer.from("\ufeff你好", "utf16le")])
      expect(await refusal(write, bytes)).toMatch(/new\.md is not text in UTF-8\.\nSave it as UTF-8/);
    for (const path of [pipe, cli.home]) {
      const { code, stderr } = await cli.run(...write, path);
      expect([code, stderr]).toEqual([2, expect.stringContaining(`${path} is no regular file.\nName a regular file.`)]);
    }
    const { code, stderr } = await cli.run(...write, source, "--base", "zz");
    expect([code, stderr]).toEqual([2, expect.stringContaining("A base is the 64 characters that show --json prints as baseHash.")]);
  }
  const [files, memory] = WRITES;
  expect(await refusal(files, "x".repeat(100_001))).toContain("new.md is larger than 100,000 characters.\nSplit it");
  expect(await refusal(files, "x".repeat(400_000))).toContain("larger than 100,000 characters");
  expect(await refusal(memory, "x".repeat(900_001))).toContain("new.md is larger than 900,000 characters.\n");
  expect(await refusal(memory, "好".repeat(400_000))).toContain("new.md is larger than 1,040,384 bytes.\n");
  const given = await cli.runWith({ readInput: async () => "x".repeat(100_001) }, ...files);
  expect(given.stderr).toContain("Standard input is larger than 100,000 characters.");
  // What is well is for the gateway, which does not run.
  await writeFile(source, "好".repeat(100_000));
  expect((await cli.run(...files, source)).code).toBe(3);
});

test("standard input in another encoding is refused, and a command that waits for it ends with its signal", async () => {
  const { signal } = new AbortController();
  expect(await readStandardInput(Readable.from([Buffer.from("\ufeff好 "), Buffer.from("ok")]), signal)).toBe("好 ok");
  await expect(readStandardInput(Readable.from([Buffer.from("c4e3", "hex")]), signal)).rejects.toThrow(
    "Standard input is not text in UTF-8.",
  );
  const stopping = new AbortController();
  const reading = readStandardInput(new PassThrough(), stopping.signal);
  stopping.abort("SIGTERM");
  await expect(reading).rejects.toThrow("stopped before standard input ended");
});
