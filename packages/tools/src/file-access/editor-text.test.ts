import { access, readFile, symlink, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import type { EditorFiles, EditorWrite } from "@factotum/agent-contract";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createToolRig, textOf, type ToolRig } from "../../test/tool-rig.ts";
import { createEditTool } from "../files/edit-tool.ts";
import { createReadTool } from "../files/read-tool.ts";
import { createWriteTool } from "../files/write-tool.ts";
import { FileAccessError } from "./file-access-error.ts";

let rig: ToolRig;
/** Unsaved text by name. */
let buffers: Map<string, string>;
let asked: string[];
/** What becomes of a write; it reaches the disk if absent. */
let outcome: EditorWrite | Error | undefined;
/** Called when a file is read. */
let onRead: () => Promise<void> | void;

const nameOf = (path: string): string => basename(path);
const editor: EditorFiles = {
  offersFiles: ({ kind }) => kind === "user",
  read: async (path) => {
    asked.push(`read ${nameOf(path)}`);
    await onRead();
    return buffers.get(nameOf(path)) ?? (await readFile(path, "utf8"));
  },
  write: async (path, text) => {
    asked.push(`write ${nameOf(path)}`);
    if (outcome instanceof Error) throw outcome;
    if (outcome !== undefined) return outcome;
    buffers.delete(nameOf(path));
    await writeFile(path, text);
    return { type: "written" };
  },
};

beforeEach(async () => {
  rig = await createToolRig({ editor, roots: (base) => [{ type: "owner", path: join(base, "other"), writable: true }] });
  [buffers, asked, outcome, onRead] = [new Map(), [], undefined, () => undefined];
  await rig.put("workspace/a.txt", "one\ntwo\n");
});
afterEach(async () => rig[Symbol.asyncDispose]());

const onDisk = async (name = "a.txt"): Promise<string> => readFile(join(rig.workspace, name), "utf8");
const read = async (path: string): Promise<string> =>
  textOf(
    await rig.call(
      createReadTool({
        files: rig.files,
        maxResultChars: 1_000,
        maxImageBytes: 1_000,
        readPdf: async () => ({ type: "failed", reason: "damaged" }),
      }),
      { path },
    ),
  );
const edit = async (oldText: string, newText: string): Promise<string> =>
  textOf(await rig.call(createEditTool({ files: rig.files, checker: undefined }), { path: "a.txt", edits: [{ oldText, newText }] }));
const write = async (path: string, content: string): Promise<string> =>
  textOf(await rig.call(createWriteTool({ files: rig.files, checker: undefined }), { path, content }));

test("unsaved text is read, edited and written in the editor", async () => {
  buffers.set("a.txt", "one\nunsaved\n");
  expect(await read("a.txt")).toBe("one\nunsaved\n");
  await edit("unsaved", "edited");
  expect([await onDisk(), asked.at(-1)]).toEqual(["one\nedited\n", "write a.txt"]);
});

test("a run that no editor is there for is not asked about", async () => {
  buffers.set("a.txt", "unsaved");
  const text = await rig.call(
    createWriteTool({ files: rig.files, checker: undefined }),
    { path: "a.txt", content: "new" },
    { run: { kind: "cron" } },
  );
  expect([text.isError, await onDisk(), asked]).toEqual([undefined, "new", []]);
});

test("line ends and a mark of the byte order are no unsaved changes", async () => {
  await rig.put("workspace/a.txt", "\ufeffone\r\ntwo\r\n");
  buffers.set("a.txt", "one\ntwo\n");
  await edit("two", "three");
  expect(await onDisk()).toBe("\ufeffone\r\nthree\r\n");
});

test("text that the person types meanwhile is not overwritten", async () => {
  let reads = 0;
  onRead = () => {
    reads += 1;
    if (reads === 2) buffers.set("a.txt", "one\ntwo, typed\n");
  };
  expect(await edit("two", "three")).toContain("changed by something else");
  expect([await onDisk(), asked.filter((one) => one.startsWith("write"))]).toEqual(["one\ntwo\n", []]);
});

test("an editor that refuses leaves it to the disk, unless unsaved text would be lost", async () => {
  outcome = { type: "refused", reason: "it is locked" };
  await edit("two", "three");
  expect(await onDisk()).toBe("one\nthree\n");
  await write("a.txt", "new\n");
  expect(await onDisk()).toBe("new\n");
  buffers.set("a.txt", "new\nunsaved\n");
  expect(await edit("unsaved", "edited")).toContain("has unsaved changes in the editor");
  expect(await write("a.txt", "lost\n")).toContain("it is locked");
  expect(await onDisk()).toBe("new\n");
});

test("an editor that may have written fails the call, and the disk stays as it is", async () => {
  outcome = new Error("The editor may not have written it.");
  expect(await write("a.txt", "new\n")).toContain("may not have written");
  expect(await onDisk()).toBe("one\ntwo\n");
});

test("an editor that reads alone never has its unsaved text overwritten", async () => {
  outcome = { type: "none" };
  await edit("two", "three");
  expect(await onDisk()).toBe("one\nthree\n");
  buffers.set("a.txt", "one\nunsaved\n");
  expect(await edit("unsaved", "edited")).toContain("has unsaved changes in the editor");
  expect(await onDisk()).toBe("one\nthree\n");
});

test("only text files of the workspace are the editor's", async () => {
  await rig.put("other/b.txt", "b");
  await symlink(join(rig.base, "other/b.txt"), join(rig.workspace, "link.txt"));
  await rig.put("workspace/large.txt", "x".repeat(200_001));
  await rig.put("workspace/data.bin", new Uint8Array([0, 1, 2]));
  for (const path of [join(rig.base, "other/b.txt"), "link.txt", "large.txt", "data.bin"]) await read(path);
  await write(join(rig.base, "other/b.txt"), "new");
  await write("new/c.txt", "c");
  expect(asked).toEqual([]);
  expect(await onDisk("new/c.txt")).toBe("c");
  await write("../outside.txt", "x");
  await expect(access(join(rig.base, "outside.txt"))).rejects.toThrow("ENOENT");
  expect(asked).toEqual([]);
});

test("a call that changes several files says what was changed when one cannot be", async () => {
  await rig.put("workspace/b.txt", "b");
  const files = await rig.files.forRun(rig.run);
  const changes = ["a.txt", "b.txt"].map((path) => ({ type: "write" as const, path, data: "new" }));
  const failing: EditorFiles = {
    ...editor,
    write: async (path, text, run) => (nameOf(path) === "b.txt" ? Promise.reject(new Error("gone")) : editor.write(path, text, run)),
  };
  expect(await files.change(changes, { tainted: false })).toHaveLength(2);
  await using second = await createToolRig({ editor: failing });
  await second.put("workspace/a.txt", "a");
  await second.put("workspace/b.txt", "b");
  const failed = (await second.files.forRun(second.run)).change(changes, { tainted: false });
  await expect(failed).rejects.toThrow(FileAccessError);
  await expect(failed).rejects.toThrow("These files were changed all the same: a.txt.");
});
