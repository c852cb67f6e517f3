import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createToolRig, textOf, type ToolRig } from "../../test/tool-rig.ts";
import { createFindTool } from "./find-tool.ts";
import { createGrepTool } from "./grep-tool.ts";

let rig: ToolRig;
beforeEach(async () => {
  rig = await createToolRig({ workspace: "home/workspace", roots: (base) => [{ type: "owner", path: base, writable: false }] });
  await rig.put("home/factotum.json5", "needle SECRET");
  await rig.put("outside.txt", "needle outside");
  await rig.put("home/workspace/.gitignore", "*.log\n/build/\n!keep.log\n");
  await rig.put("home/workspace/a.md", "one\ntwo needle\nthree\n");
  await rig.put("home/workspace/keep.log", "needle kept\n");
  await rig.put("home/workspace/noise.log", "needle noise\n");
  await rig.put("home/workspace/build/out.md", "needle built\n");
  await rig.put("home/workspace/src/b.ts", "const needle = 1;\r\nconst Needle = 2;\r\n");
  await rig.put("home/workspace/src/build/c.ts", "needle nested\n");
  await rig.put("home/workspace/src/.gitignore", "generated.ts\n");
  await rig.put("home/workspace/src/generated.ts", "needle generated\n");
  await rig.put("home/workspace/.git/config.md", "needle git\n");
  await rig.put("home/workspace/data.bin", "needle\0binary");
  await symlink("../..", join(rig.workspace, "up"));
});
afterEach(() => rig[Symbol.asyncDispose]());

const find = (args: { pattern: string; path?: string; includeIgnored?: boolean; limit?: number }) =>
  rig.call(createFindTool({ files: rig.files }), args);
const grep = (args: Record<string, string | number | boolean>, maxResultChars = 16_000, signal = new AbortController().signal) =>
  rig.call(createGrepTool({ files: rig.files, maxResultChars }), args, { signal });

describe("find", () => {
  test.each([
    ["*.ts", "src/b.ts\nsrc/build/c.ts\n"],
    ["src/*.ts", "src/b.ts\n"],
    ["./src/**/*.ts", "src/b.ts\nsrc/build/c.ts\n"],
    ["*.{md,log}", "a.md\nkeep.log\n"],
    ["build", "src/build/\n"],
    [".git*", ".gitignore\nsrc/.gitignore\n"],
    ["nothing.*", "Nothing found."],
    ["up", "Nothing found."],
  ])("%s, except files hidden by .gitignore", async (pattern, text) => {
    expect(textOf(await find({ pattern }))).toBe(text);
  });

  test("includes ignored files on request, or if the search starts in the ignored folder", async () => {
    expect(textOf(await find({ pattern: "*.md", includeIgnored: true }))).toBe("a.md\nbuild/out.md\n");
    expect(textOf(await find({ pattern: "*.md", path: "build" }))).toBe("build/out.md\n");
  });

  test("applies the rules from above if it starts further down", async () => {
    await rig.put("home/workspace/src/x.log", "");
    expect(textOf(await find({ pattern: "*", path: "src" }))).toBe("src/.gitignore\nsrc/b.ts\nsrc/build/\nsrc/build/c.ts\n");
  });

  test("stops at the limit and says so", async () => {
    expect(textOf(await find({ pattern: "*.ts", limit: 1 }))).toBe(
      "src/b.ts\n[Stopped after 1; use a narrower pattern or path, or a higher limit.]\n",
    );
    expect(textOf(await find({ pattern: "*.ts", limit: 2 }))).toBe("src/b.ts\nsrc/build/c.ts\n");
  });

  test("does not enter the state folder from a root above it", async () => {
    const text = textOf(await find({ pattern: "**", path: rig.base, includeIgnored: true }));
    expect(text).toContain("outside.txt");
    expect(text).not.toContain("factotum.json5");
    expect(text).not.toContain("workspace");
  });

  test.each(["[", "{a", "*a*a*a*a*a*a*a*a*a*a*b"])("%s cannot block the process", async (pattern) => {
    await rig.put(`home/workspace/${"a".repeat(240)}`, "");
    expect((await find({ pattern })).isError).toBe(true);
  });
});

describe("a .gitignore", () => {
  const deep = `home/workspace/d${"/d".repeat(9)}`;

  test.each([
    ["find", () => find({ pattern: "*" })],
    ["grep further down", () => grep({ pattern: "needle", path: deep.slice("home/workspace/".length) })],
  ])("with endless rules stops the search, and the error names the file: %s", async (_name, search) => {
    await rig.put(`${deep}/x`, "needle");
    await rig.put("home/workspace/d/.gitignore", `d/${"**/".repeat(60)}zz\n`);
    const result = await search();
    expect(result.isError).toBe(true);
    expect(textOf(result)).toContain("d/.gitignore takes too long");
    expect(textOf(await find({ pattern: "x", includeIgnored: true }))).toContain("d/d/x");
  });

  test("with common ** rules works as specified", async () => {
    await rig.put(`${deep}/x.tmp`, "");
    await rig.put(`${deep}/y.md`, "");
    await rig.put("home/workspace/d/.gitignore", "**/*.tmp\n**/out/**/cache/**/*.bin\nd/**/y.md\n");
    expect(textOf(await find({ pattern: "[xy].*" }))).toBe("Nothing found.");
  });

  test("shares a size limit with those above it: the excess is skipped, and no rule is cut in two", async () => {
    const filler = `${"#".repeat(99)}\n`;
    await rig.put("home/workspace/d/.gitignore", `${filler.repeat(640)}*.tmp\n`);
    await rig.put("home/workspace/d/d/.gitignore", `*.bak\n${filler.repeat(20)}*.old\n`);
    for (const name of ["tmp", "bak", "old"]) await rig.put(`home/workspace/d/d/z.${name}`, "");
    expect(textOf(await find({ pattern: "z.*" }))).toBe("d/d/z.old\n");
  });

  test("may have many rules; an excessively long one is skipped", async () => {
    const many = Array.from({ length: 2_000 }, (_, index) => `*.ext${index}`).join("\n");
    await rig.put("home/workspace/.gitignore", `${"?".repeat(40_000)}\n${many}\n`);
    await rig.put("home/workspace/a.ext1999", "");
    expect(textOf(await find({ pattern: "a.*" }))).toBe("a.md\n");
  });
});

describe("grep", () => {
  test("returns path, line and text, and skips binary and ignored files and links", async () => {
    expect(textOf(await grep({ pattern: "needle" }))).toBe(
      "a.md:2: two needle\nkeep.log:1: needle kept\nsrc/b.ts:1: const needle = 1;\nsrc/build/c.ts:1: needle nested\n",
    );
  });

  test.each([
    [{ pattern: "^const \\w+", glob: "*.ts" }, "src/b.ts:1: const needle = 1;\nsrc/b.ts:2: const Needle = 2;\n"],
    [{ pattern: "needle = \\d", ignoreCase: true }, "src/b.ts:1: const needle = 1;\nsrc/b.ts:2: const Needle = 2;\n"],
    [{ pattern: "(?i)NEEDLE = 2" }, "src/b.ts:2: const Needle = 2;\n"],
    [{ pattern: "= 1;$" }, "src/b.ts:1: const needle = 1;\n"],
    [{ pattern: "1;", literal: true, path: "src/b.ts" }, "src/b.ts:1: const needle = 1;\n"],
    [{ pattern: ".*", literal: true }, "No match."],
    [{ pattern: "needle", path: "data.bin" }, "No match."],
    [{ pattern: "needle", path: "a.md", context: 1 }, "a.md-1- one\na.md:2: two needle\na.md-3- three\n"],
  ])("%j", async (args, text) => {
    expect(textOf(await grep(args))).toBe(text);
  });

  test("context joins nearby matches and separates distant ones", async () => {
    await rig.put(
      "home/workspace/lines.txt",
      "abXcdeXfghijX"
        .split("")
        .map((letter) => `${letter}\n`)
        .join(""),
    );
    expect(textOf(await grep({ pattern: "X", path: "lines.txt", context: 1 }))).toBe(
      "lines.txt-2- b\nlines.txt:3: X\nlines.txt-4- c\n--\nlines.txt-6- e\nlines.txt:7: X\nlines.txt-8- f\n--\nlines.txt-12- j\nlines.txt:13: X\n",
    );
    expect(textOf(await grep({ pattern: "X", path: "lines.txt", context: 2 }))).not.toContain("--\nlines.txt-5");
  });

  test("finds matches across chunks and in a last line without a line end", async () => {
    await rig.put("home/workspace/large.txt", `${"filler line\n".repeat(20_000)}last needle`);
    expect(textOf(await grep({ pattern: "needle", path: "large.txt" }))).toBe("large.txt:20001: last needle\n");
  });

  test("stops at the limit, and at the size of a result", async () => {
    await rig.put("home/workspace/many.txt", "needle in a line\n".repeat(1_000));
    expect(textOf(await grep({ pattern: "needle", path: "many.txt", limit: 2 }))).toBe(
      "many.txt:1: needle in a line\nmany.txt:2: needle in a line\n[Stopped after 2 matches; narrow the pattern, path or glob.]\n",
    );
    const text = textOf(await grep({ pattern: "needle", path: "many.txt", limit: 1_000 }, 1_000));
    expect(text.length).toBeLessThanOrEqual(1_000);
    expect(text).toMatch(/\[Stopped after \d+ matches/);
  });

  test("an endless pattern is cut off, a broken one is explained", async () => {
    await rig.put("home/workspace/trap.txt", `${"a".repeat(60)}b\n`);
    const slow = await grep({ pattern: "(a+)+$", path: "trap.txt" });
    expect(slow.isError).toBe(true);
    expect(textOf(slow)).toContain("takes too long");
    const broken = await grep({ pattern: "(" });
    expect(broken.isError).toBe(true);
    expect(textOf(broken)).toContain("Set literal");
  });

  test("finds nothing in the state folder from a root above it", async () => {
    expect(textOf(await grep({ pattern: "needle", path: rig.base }))).toBe(`${join(rig.base, "outside.txt")}:1: needle outside\n`);
  });

  test("an abort ends it", async () => {
    const abort = new AbortController();
    abort.abort(new Error("enough"));
    await expect(grep({ pattern: "needle" }, 16_000, abort.signal)).rejects.toThrow("enough");
  });
});
