import { chmod, mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createToolRig, textOf, type ToolRig } from "../../test/tool-rig.ts";
import { createGrepTool } from "./grep-tool.ts";
import { createRipgrep } from "./ripgrep.ts";
import type { TextFinder } from "./text-finder.ts";

const SEARCH_PATH = process.env["PATH"] ?? "";

let rig: ToolRig;
beforeEach(async () => {
  rig = await createToolRig();
});
afterEach(() => rig[Symbol.asyncDispose]());

const grep = (args: Parameters<ToolRig["call"]>[1], findText?: TextFinder) =>
  rig.call(createGrepTool({ files: rig.files, maxResultChars: 16_000, findText }), args);

/** Files of every kind that decides what is searched. */
async function putCorpus(): Promise<void> {
  const files: Record<string, string | Uint8Array> = {
    ".gitignore": "ignored/\n*.log\n!kept.log\n",
    "a.md": "one\ntwo Needle\nthree needle\r\nneedle",
    "kept.log": "needle kept",
    "gone.log": "needle gone",
    "ignored/a.md": "needle ignored",
    ".hidden/a.md": "needle hidden",
    ".ignore": "src\n",
    ".rgignore": "src\n",
    "src/.gitignore": "*.tmp\n!/b.tmp\n",
    "src/b.tmp": "needle b",
    "src/c.tmp": "needle c",
    "src/-dash.ts": "const needle = 1;",
    "src/ünïcode name.ts": "straße STRASSE ſtrasse \u212Aelvin kelvin",
    "binary.bin": new Uint8Array([110, 101, 101, 100, 108, 101, 0, 1, 2]),
    "latin1.txt": new Uint8Array([0xe9, 0x20, 110, 101, 101, 100, 108, 101, 0xff]),
    "bom.txt": "\uFEFFneedle after a mark",
    "utf16.txt": Buffer.from("\uFEFFneedle in UTF-16", "utf16le"),
    "long.txt": `${"x".repeat(25_000)}needle\nneedle`,
    "empty.txt": "",
    "symbols.txt": "a.b(c) [d] {e} ^f$ g|h i*j k+l m?n \\o /p",
  };
  for (const [name, content] of Object.entries(files)) await rig.put(`workspace/${name}`, content);
  for (let index = 0; index < 400; index += 1)
    await rig.put(`workspace/many/${index % 20}/${index}.txt`, index % 7 === 0 ? `file ${index} needle` : `file ${index}`);
  await rig.put("outside.txt", "needle outside");
  await symlink("../outside.txt", join(rig.workspace, "link.txt"));
  await mkdir(join(rig.workspace, ".git"));
  await writeFile(join(rig.workspace, ".git", "config"), "needle");
}

const CASES: readonly Parameters<ToolRig["call"]>[1][] = [
  { pattern: "needle", limit: 1000 },
  { pattern: "needle", limit: 3 },
  { pattern: "needle", ignoreCase: true, limit: 1000 },
  { pattern: "(?i)NEEDLE", limit: 1000 },
  { pattern: "needle", context: 1, limit: 1000 },
  { pattern: "needle", glob: "*.ts" },
  { pattern: "needle", glob: "many/1/*" },
  { pattern: "needle", path: "many/3" },
  { pattern: "needle", path: "ignored" },
  { pattern: "needle", path: "a.md" },
  { pattern: "needle", path: "link.txt" },
  { pattern: "needle", path: ".." },
  { pattern: "^file \\d+ needle$", limit: 1000 },
  { pattern: "const \\w+ = 1;" },
  { pattern: "straße" },
  { pattern: "strasse", ignoreCase: true },
  { pattern: "kelvin", ignoreCase: true },
  { pattern: "a.b(c)", literal: true },
  { pattern: "k+l", literal: true },
  { pattern: "\\\\o /p" },
  { pattern: "no such text" },
  { pattern: "needle|const" },
  { pattern: "(" },
];

describe("grep with ripgrep", () => {
  test("has the same results as without it, on a corpus", async () => {
    await putCorpus();
    const findText = createRipgrep({ searchPath: SEARCH_PATH });
    const asked: number[] = [];
    const observed: TextFinder = async (query, options) => {
      const found = await findText(query, options);
      asked.push(found === undefined ? -1 : found.size);
      return found;
    };
    for (const args of CASES) expect([args, await grep(args, observed)]).toEqual([args, await grep(args)]);
    // ripgrep was there, and left files out.
    expect(asked.length).toBeGreaterThan(30);
    expect(asked).not.toContain(-1);
    expect(asked).toContain(0);
  });

  test("has the same results for any pattern and text", { timeout: 120_000 }, async () => {
    const unit = fc.constantFrom(..."abAB .(é日\t\r".split(""));
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(fc.string({ unit, maxLength: 6 }), { maxLength: 3 }), { minLength: 1, maxLength: 3 }),
        fc.string({ unit: fc.constantFrom(..."abAB.*+?[](é日 ".split("")), minLength: 2, maxLength: 5 }),
        fc.record({ literal: fc.boolean(), ignoreCase: fc.boolean() }),
        async (files, pattern, how) => {
          for (const [index, lines] of files.entries()) await rig.put(`workspace/${index}.txt`, lines.join("\n"));
          const args = { pattern, ...how };
          expect(await grep(args, createRipgrep({ searchPath: SEARCH_PATH }))).toEqual(await grep(args));
        },
      ),
      { numRuns: 80 },
    );
  });

  test.each([
    ["is not installed", undefined],
    ["fails", "exit 2"],
    ["fails after it has named files", "printf 'a.md\\0'; exit 2"],
    ["is killed", "kill -9 $$"],
  ])("reads every file if it %s", async (_how, script) => {
    await putCorpus();
    const bin = join(rig.base, "bin");
    await mkdir(bin);
    if (script !== undefined) await writeFile(join(bin, "rg"), `#!/bin/sh\n${script}\n`);
    if (script !== undefined) await chmod(join(bin, "rg"), 0o755);
    const args = { pattern: "needle", limit: 1000 };
    expect(await grep(args, createRipgrep({ searchPath: bin }))).toEqual(await grep(args));
  });

  test("a relative folder of PATH is not searched, and an abort ends it", async () => {
    await putCorpus();
    const signal = AbortSignal.abort(new Error("enough"));
    const query = { text: "needle", ignoreCase: false, files: [join(rig.workspace, "a.md")] };
    await expect(createRipgrep({ searchPath: SEARCH_PATH })(query, { signal })).rejects.toThrow("enough");
    expect(await createRipgrep({ searchPath: "bin:." })(query, { signal: new AbortController().signal })).toBeUndefined();
    expect(textOf(await grep({ pattern: "needle", path: "a.md" }, createRipgrep({ searchPath: "." })))).toContain("a.md:3: three needle");
  });
});
