import { chmod, link, mkdir, readdir, readFile, rename, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createToolRig, textOf, type ToolRig } from "../../test/tool-rig.ts";
import type { FileAccess, RunFiles } from "../file-access/create-file-access.ts";
import { createApplyPatchTool } from "./apply-patch-tool.ts";

let rig: ToolRig;
beforeEach(async () => {
  rig = await createToolRig();
});
afterEach(() => rig[Symbol.asyncDispose]());

const envelope = (...lines: readonly string[]): string => ["*** Begin Patch", ...lines, "*** End Patch"].join("\n");
const apply = (patch: string, files: FileAccess = rig.files) => rig.call(createApplyPatchTool({ files }), { patch });
const contentOf = (path: string): Promise<string> => readFile(join(rig.workspace, path), "utf8");
/** Everything in the workspace, by path. */
async function tree(): Promise<Record<string, string>> {
  const entries = await readdir(rig.workspace, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return Object.fromEntries(
    await Promise.all(files.map(async (file) => [file.slice(rig.workspace.length + 1), await readFile(file, "utf8")])),
  );
}
/** Access that does something right before the changes are made. */
function before(strike: () => Promise<void>): FileAccess {
  return {
    async forRun(run) {
      const access = await rig.files.forRun(run);
      const change: RunFiles["change"] = async (changes, options) => {
        await strike();
        return access.change(changes, options);
      };
      return { ...access, change };
    },
  };
}

describe("a patch over several files", () => {
  test("adds, changes, moves and deletes, and the details have the diff", async () => {
    await rig.put("workspace/a.txt", "one\ntwo\nthree\n");
    await rig.put("workspace/old/b.txt", "b1\nb2\n");
    await rig.put("workspace/c.txt", "gone\n");
    const result = await apply(
      envelope(
        "*** Add File: new/d.txt",
        "+hello",
        "+",
        "+world",
        "*** Update File: a.txt",
        "@@",
        " one",
        "-two",
        "+2",
        " three",
        "*** Update File: old/b.txt",
        "*** Move to: fresh/b.txt",
        "@@ b1",
        "+b1.5",
        " b2",
        "*** Delete File: c.txt",
      ),
    );
    expect(textOf(result)).toBe("Applied the patch: added new/d.txt, changed a.txt, moved old/b.txt to fresh/b.txt, deleted c.txt");
    expect(await tree()).toEqual({ "a.txt": "one\n2\nthree\n", "fresh/b.txt": "b1\nb1.5\nb2\n", "new/d.txt": "hello\n\nworld\n" });
    const { diff } = result.details as { readonly diff: string };
    expect(diff).toContain("--- /dev/null\n+++ b/new/d.txt\n@@ -0,0 +1,3 @@\n+hello\n+\n+world\n");
    expect(diff).toContain("--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n");
    expect(diff).toContain("--- a/old/b.txt\n+++ b/fresh/b.txt\n");
    expect(diff).toContain("--- a/c.txt\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-gone\n");
  });

  test("a moved file keeps its mode", async () => {
    await chmod(await rig.put("workspace/run.sh", "#!/bin/sh\n"), 0o750);
    await apply(envelope("*** Update File: run.sh", "*** Move to: bin/run"));
    expect((await stat(join(rig.workspace, "bin/run"))).mode & 0o777).toBe(0o750);
    expect(await tree()).toEqual({ "bin/run": "#!/bin/sh\n" });
  });

  test.each([
    [
      "a line that the file does not have",
      ["*** Update File: a.txt", "@@", " one", "-nothing like it", "+x"],
      '"nothing like it": line 2 of the file is "two"',
    ],
    ["a missing file", ["*** Delete File: missing.txt"], "missing.txt does not exist"],
    ["a file that exists already", ["*** Add File: a.txt", "+x"], "a.txt exists already"],
    ["a target of a move that exists", ["*** Update File: a.txt", "*** Move to: b.txt"], "b.txt exists already"],
    ["a path outside", ["*** Add File: ../x.txt", "+x"], "outside the folders"],
    ["a target outside", ["*** Update File: a.txt", "*** Move to: ../x.txt"], "outside the folders"],
    [
      "two headers of one file",
      ["*** Update File: a.txt", "@@", "-one", "+1", "*** Update File: a.txt", "@@", "-two", "+2"],
      "two headers",
    ],
    ["two names of one file", ["*** Update File: ./a.txt", "@@", "-one", "+1", "*** Delete File: a.txt"], "changed twice"],
    ["a folder", ["*** Delete File: folder"], "is a folder"],
    ["a file below a file", ["*** Add File: b.txt/x", "+x"], "does not exist|nothing can be put into it"],
  ])("with %s changes nothing", async (_name, lines, message) => {
    await rig.put("workspace/a.txt", "one\ntwo\n");
    await rig.put("workspace/b.txt", "b\n");
    await mkdir(join(rig.workspace, "folder"));
    const whole = await tree();
    const result = await apply(envelope("*** Add File: deep/er/first.txt", "+x", "*** Update File: b.txt", "@@", "-b", "+B", ...lines));
    expect(result.isError).toBe(true);
    expect(textOf(result)).toMatch(/^Nothing was changed\. /);
    expect(textOf(result)).toMatch(new RegExp(message.includes("|") ? message : RegExp.escape(message)));
    expect(await tree()).toEqual(whole);
    expect((await readdir(rig.workspace)).toSorted()).toEqual(["a.txt", "b.txt", "folder"]);
    expect(await readdir(rig.base)).not.toContain("x.txt");
  });

  test.each([
    ["changes", () => writeFile(join(rig.workspace, "z.txt"), "someone else\n")],
    ["appears", () => writeFile(join(rig.workspace, "late.txt"), "someone else\n")],
    [
      "becomes a folder",
      async () => {
        await rename(join(rig.workspace, "z.txt"), join(rig.workspace, "aside.txt"));
        await mkdir(join(rig.workspace, "z.txt"));
      },
    ],
  ])("changes nothing if the last file %s at the last moment", async (_name, strike) => {
    await rig.put("workspace/a.txt", "one\n");
    await rig.put("workspace/d.txt", "d\n");
    await rig.put("workspace/z.txt", "zed\n");
    const patch = envelope(
      "*** Update File: a.txt",
      "@@",
      "-one",
      "+1",
      "*** Delete File: d.txt",
      "*** Add File: made/e.txt",
      "+e",
      "*** Update File: z.txt",
      "@@",
      "-zed",
      "+Z",
      "*** Add File: late.txt",
      "+late",
    );
    const result = await apply(patch, before(strike));
    expect(result.isError).toBe(true);
    expect(await contentOf("a.txt")).toBe("one\n");
    expect(await contentOf("d.txt")).toBe("d\n");
    expect((await readdir(rig.workspace)).filter((name) => name === "made" || name.startsWith(".factotum"))).toEqual([]);
  });

  test("a failure half way puts the changed, the deleted and the new files back", async () => {
    await rig.put("workspace/a.txt", "one\n");
    await rig.put("workspace/d.txt", "d\n");
    await rig.put("workspace/last/z.txt", "zed\n");
    const inode = (await stat(join(rig.workspace, "a.txt"))).ino;
    await link(join(rig.workspace, "a.txt"), join(rig.workspace, "twin.txt"));
    const files = await rig.files.forRun(rig.run);
    await expect(
      files.change(
        [
          { type: "write", path: "a.txt", data: "1\n" },
          { type: "remove", path: "d.txt" },
          { type: "write", path: "new/e.txt", data: "e\n" },
          { type: "remove", path: "missing.txt" },
        ],
        { tainted: false },
      ),
    ).rejects.toThrow("missing.txt does not exist");
    expect(await tree()).toEqual({ "a.txt": "one\n", "d.txt": "d\n", "last/z.txt": "zed\n", "twin.txt": "one\n" });
    expect((await stat(join(rig.workspace, "a.txt"))).ino).toBe(inode);
    expect(await readdir(rig.workspace)).not.toContain("new");
  });
});

describe("hunks", () => {
  const update = async (content: string, ...lines: readonly string[]): Promise<string> => {
    await rig.put("workspace/f.txt", content);
    const result = await apply(envelope("*** Update File: f.txt", ...lines));
    return result.isError === true ? textOf(result) : contentOf("f.txt");
  };

  test.each([
    ["replace", "a\nb\nc\n", ["@@", " a", "-b", "+B", " c"], "a\nB\nc\n"],
    ["need no @@", "a\nb\n", [" a", "-b", "+B"], "a\nB\n"],
    ["insert after the line of @@", "a\nb\n", ["@@ a", "+x"], "a\nx\nb\n"],
    ["append without any context", "a\n", ["@@", "+x"], "a\nx\n"],
    ["fill an empty file", "", ["@@", "+x"], "x\n"],
    ["empty a file", "a\n", ["@@", "-a"], ""],
    ["start below the line of @@", "f\n  x\ng\n  x\n", ["@@ g", "-  x", "+  y"], "f\n  x\ng\n  y\n"],
    ["start below several lines of @@", "C\nf\n x\nD\nf\n x\n", ["@@ D", "@@ f", "- x", "+ y"], "C\nf\n x\nD\nf\n y\n"],
    ["go on below the one before", "x\nx\nx\n", ["@@", "-x", "+1", "@@", "-x", "+2"], "1\n2\nx\n"],
    ["ignore white space at the ends of lines", "a  \nb\t\n", ["@@", " a", "-b", "+B"], "a  \nB\n"],
    ["prefer an exact match", "b  \nb\n", ["@@", "-b", "+B"], "b  \nB\n"],
    ["take an empty line as a kept one", "a\n\nb\n", ["@@", " a", "", "-b", "+B"], "a\n\nB\n"],
    ["do without blank lines at their end", "a\nb\n", ["@@", "-b", "+B", "", ""], "a\nB\n"],
    ["ignore line numbers", "a\nb\n", ["@@ -17,2 +17,2 @@ something", " a", "-b", "+B"], "a\nB\n"],
    ["match the end of the file", "x\ny\nx\n", ["@@", "-x", "+z", "*** End of File"], "x\ny\nz\n"],
    ["keep a missing last line end", "a\nb", ["@@", "-b", "+B"], "a\nB"],
    ["keep CRLF", "a\r\nb\r\n", ["@@", " a", "-b", "+B", "+C"], "a\r\nB\r\nC\r\n"],
    ["keep other lines of mixed ends", "a\r\nb\nc\n", ["@@", "-b", "+B"], "a\r\nB\nc\n"],
    ["keep emoji and a byte order mark", "\uFEFFa\n😀\n", ["@@", "-😀", "+🎉"], "\uFEFFa\n🎉\n"],
    ["take lines that look like markers", "--- a\n+++ b\n", ["@@", "---- a", "+-- a"], "-- a\n+++ b\n"],
  ])("%s", async (_name, content, lines, expected) => {
    expect(await update(content, ...lines)).toBe(expected);
  });

  test.each([
    ["the first line", "a\nb\n", ["@@", " x", "-b", "+B"], 'Hunk 1, line 3 of the patch: this line was not found: "x"'],
    [
      "a later line",
      "a\nb\nc\n",
      ["@@", " a", " b", "-x", "+y"],
      'the first 2 lines match at line 1 of the file, but not "x": line 3 of the file is "c"',
    ],
    ["white space at the start", "  a\n", ["@@", "-a", "+b"], 'this line was not found: "a"'],
    ["the line of @@", "a\n", ["@@ nowhere", "-a", "+b"], 'the line after @@ was not found: "nowhere"'],
    ["an earlier place", "a\nb\n", ["@@", "-b", "+B", "@@", "-a", "+A"], "it is at line 1; hunks must be in the order of the file"],
    ["more lines than the file", "a\n", ["@@", " a", "-b"], 'but not "b": the file ends there'],
    ["another end", "a\nb\n", ["@@", "-a", "+A", "*** End of File"], "these lines are not the end of the file"],
  ])("name what does not match: %s", async (_name, content, lines, message) => {
    expect(await update(content, ...lines)).toContain(message);
    expect(await contentOf("f.txt")).toBe(content);
  });

  test("with too many lines alike end in an error, soon", async () => {
    const message = await update("\n".repeat(2_000_000), "@@", ...Array.from({ length: 100 }, () => " "), "-x");
    expect(message).toContain("too many lines alike");
  });

  test("undo each other", async () => {
    const line = fc.string({ unit: "grapheme", maxLength: 8 }).map((text) => text.replace(/[\r\n\u2028\u2029\v\f\x85]/g, ""));
    await fc.assert(
      fc.asyncProperty(fc.array(line, { minLength: 1, maxLength: 12 }), fc.nat(), line, async (lines, at, fresh) => {
        const place = at % lines.length;
        const old = lines[place] ?? "";
        fc.pre(fresh.trimEnd() !== old.trimEnd() && lines.every((one) => one.isWellFormed()) && fresh.isWellFormed());
        const content = `${lines.join("\n")}\n`;
        const above = lines.slice(0, place).map((one) => ` ${one}`);
        expect(await update(content, "@@", ...above, `-${old}`, `+${fresh}`)).toBe(`${lines.toSpliced(place, 1, fresh).join("\n")}\n`);
        const changed = lines.toSpliced(place, 1, fresh);
        expect(await update(`${changed.join("\n")}\n`, "@@", ...above, `-${fresh}`, `+${old}`)).toBe(content);
      }),
      { numRuns: 60 },
    );
  });
});

describe("what is no patch", () => {
  test.each([
    ["nothing of it", "hello", 'must begin with the line "*** Begin Patch". Line 1 of the patch: "hello"'],
    ["no end", "*** Begin Patch\n*** Delete File: a.txt\n", 'must end with the line "*** End Patch"'],
    ["no file", envelope(), "changes no file"],
    ["two patches", `${envelope("*** Delete File: a.txt")}\n${envelope("*** Delete File: b.txt")}`, "Something follows"],
    ["an unknown header", envelope("*** Rename File: a.txt"), 'Line 2 of the patch: "*** Rename File: a.txt"'],
    ["a header without a path", envelope("*** Add File:  "), "path is missing"],
    ["a move without a path", envelope("*** Update File: a.txt", "*** Move to:  "), "path is missing"],
    ["a new file without +", envelope("*** Add File: a.txt", "hello"), 'must begin with "+". Line 3 of the patch: "hello"'],
    ["a hunk without marks", envelope("*** Update File: a.txt", "@@", "hello"), 'Line 4 of the patch: "hello"'],
    ["an update without hunks", envelope("*** Update File: a.txt"), "has no hunk"],
    ["a hunk without changes", envelope("*** Update File: a.txt", "@@", " a"), "changes nothing"],
    ["too many files", envelope(...Array.from({ length: 101 }, (_, index) => `*** Add File: ${index}`)), "at most 100"],
  ])("%s is explained", async (_name, patch, message) => {
    await rig.put("workspace/a.txt", "a\n");
    const result = await apply(patch);
    expect(result.isError).toBe(true);
    expect(textOf(result)).toContain(message);
    expect(await tree()).toEqual({ "a.txt": "a\n" });
  });

  test("but surrounding blank lines, CRLF and the name `input` are fine", async () => {
    await rig.put("workspace/a.txt", "a\n");
    const patch = `\n${envelope("*** Update File: a.txt", "@@", "-a", "+b", "")}\n\n`.replaceAll("\n", "\r\n");
    await rig.call(createApplyPatchTool({ files: rig.files }), { input: patch });
    expect(await contentOf("a.txt")).toBe("b\n");
  });
});

test("bytes that are not UTF-8 are not damaged, but can be deleted", async () => {
  await rig.put("workspace/a.bin", Buffer.from([0xff, 0x0a]));
  expect(textOf(await apply(envelope("*** Update File: a.bin", "@@", "+x")))).toContain("not UTF-8");
  expect((await apply(envelope("*** Delete File: a.bin"))).isError).toBeUndefined();
  expect(await tree()).toEqual({});
});

test("a large diff is cut at a line", async () => {
  await rig.put("workspace/a.txt", Array.from({ length: 4_000 }, (_, index) => `line ${index}\n`).join(""));
  const result = await apply(envelope("*** Delete File: a.txt"));
  const { diff, diffCut } = result.details as { readonly diff: string; readonly diffCut?: boolean };
  expect(diffCut).toBe(true);
  expect(diff.length).toBeLessThanOrEqual(20_000);
  expect(diff).toMatch(/\n$/);
});

test("a symbolic link inside the workspace is followed, one that leads out is not", async () => {
  await rig.put("workspace/real.txt", "a\n");
  await rig.put("secret.txt", "a\n");
  await symlink("real.txt", join(rig.workspace, "link.txt"));
  await symlink("../secret.txt", join(rig.workspace, "out.txt"));
  const hunk = ["@@", "-a", "+b"];
  expect((await apply(envelope("*** Update File: link.txt", ...hunk))).isError).toBeUndefined();
  expect(await contentOf("real.txt")).toBe("b\n");
  expect(textOf(await apply(envelope("*** Update File: out.txt", ...hunk)))).toContain("outside the folders");
  expect(await readFile(join(rig.base, "secret.txt"), "utf8")).toBe("a\n");
});
