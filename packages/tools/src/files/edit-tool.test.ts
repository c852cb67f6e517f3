import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createToolRig, textOf, type ToolRig } from "../../test/tool-rig.ts";
import type { FileAccess } from "../file-access/create-file-access.ts";
import { createEditTool } from "./edit-tool.ts";

let rig: ToolRig;
beforeEach(async () => {
  rig = await createToolRig();
});
afterEach(() => rig[Symbol.asyncDispose]());

const edit = (path: string, ...edits: { oldText: string; newText: string; replaceAll?: boolean }[]) =>
  rig.call(createEditTool({ files: rig.files }), { path, edits });

test("changes the file and counts", async () => {
  const path = await rig.put("workspace/a.txt", "\uFEFFone two one");
  const result = await edit("a.txt", { oldText: "one", newText: "1", replaceAll: true }, { oldText: "two", newText: "2" });
  expect(result).toEqual({
    content: [{ type: "text", text: "Edited a.txt (3 replacements)" }],
    details: {
      path: "a.txt",
      replacements: 3,
      diff: "--- a/a.txt\n+++ b/a.txt\n@@ -1,1 +1,1 @@\n-\uFEFFone two one\n\\ No newline at end of file\n+\uFEFF1 2 1\n\\ No newline at end of file\n",
    },
  });
  expect(await readFile(path, "utf8")).toBe("\uFEFF1 2 1");
});

test("changes nothing if one edit fails, and says which", async () => {
  const path = await rig.put("workspace/a.txt", "one two");
  const result = await edit("a.txt", { oldText: "one", newText: "1" }, { oldText: "three", newText: "3" });
  expect(result.isError).toBe(true);
  expect(textOf(result)).toContain("a.txt was not changed. Edit 2 of 2: oldText was not found (0 matches).");
  expect(await readFile(path, "utf8")).toBe("one two");
});

test("does not write a file that it could not edit again", async () => {
  const path = await rig.put("workspace/a.txt", "a".repeat(1_000));
  const grown = "é".repeat(1_000);
  const result = await edit(
    "a.txt",
    { oldText: "a", newText: grown, replaceAll: true },
    { oldText: "é", newText: grown, replaceAll: true },
  );
  expect(result.isError).toBe(true);
  expect(textOf(result)).toContain("Edit 2 of 2: The file would have 2000000000 bytes; at most 8388608.");
  expect(await readFile(path, "utf8")).toBe("a".repeat(1_000));
});

test("does not overwrite a concurrent change", async () => {
  const path = await rig.put("workspace/a.txt", "one two");
  const files: FileAccess = {
    ...rig.files,
    async forRun(run) {
      const access = await rig.files.forRun(run);
      return {
        ...access,
        async write(file, data, options) {
          await writeFile(path, "one two three");
          return access.write(file, data, options);
        },
      };
    },
  };
  const edited = rig.call(createEditTool({ files }), { path: "a.txt", edits: [{ oldText: "one", newText: "1" }] });
  await expect(edited.then((result) => result.isError)).resolves.toBe(true);
  expect(textOf(await edited)).toContain("changed");
  expect(await readFile(path, "utf8")).toBe("one two three");
});

test("bytes that are not UTF-8 are not damaged", async () => {
  const bytes = Buffer.from([0x6f, 0x6e, 0x65, 0xff, 0xfe]);
  const path = await rig.put("workspace/a.txt", bytes);
  const result = await edit("a.txt", { oldText: "one", newText: "1" });
  expect(textOf(result)).toContain("not UTF-8");
  expect(await readFile(path)).toEqual(bytes);
});

test("a missing file is an error that names it", async () => {
  const result = await edit("missing.txt", { oldText: "a", newText: "b" });
  expect(result.isError).toBe(true);
  expect(textOf(result)).toBe("missing.txt does not exist. Look for it with ls or find. write creates a new file.");
  await expect(readFile(join(rig.workspace, "missing.txt"))).rejects.toThrow("ENOENT");
});

test("two large texts without a line in common have no diff, and take no time", async () => {
  await rig.put("workspace/a.txt", Array.from({ length: 60_000 }, (_, index) => `${index}\n`).join(""));
  const result = await edit("a.txt", { oldText: "0", newText: "x", replaceAll: true }, { oldText: "1", newText: "y", replaceAll: true });
  expect(result.details).toMatchObject({ diffCut: true });
  expect(JSON.stringify(result.details).length).toBeLessThan(25_000);
});

test("says in plain words that an edit is missing", async () => {
  await using rig = await createToolRig();
  const result = await rig.call(createEditTool({ files: rig.files }), { path: "a.txt", edits: [], oldText: "a", newText: "b" });
  expect(textOf(result)).toContain("edits: at least 1 entry");
  expect(textOf(result)).toContain("unknown parameters: oldText, newText; allowed: path, edits");
});
