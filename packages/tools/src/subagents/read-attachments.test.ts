import { symlink } from "node:fs/promises";
import path from "node:path";
import type { AgentToolResult, JsonObject } from "@factotum/agent-contract";
import { afterEach, beforeEach, expect, test } from "vitest";
import { fakeSubagents, type FakeSubagents } from "../../test/fake-subagents.ts";
import { createToolRig, textOf, type ToolRig } from "../../test/tool-rig.ts";
import { createSessionsSpawnTool } from "./sessions-spawn-tool.ts";

let rig: ToolRig;
let subagents: FakeSubagents;
beforeEach(async () => {
  rig = await createToolRig({ roots: (base) => [{ type: "media", path: path.join(base, "media") }] });
  subagents = fakeSubagents();
});
afterEach(() => rig[Symbol.asyncDispose]());

const attach = async (
  attachments: readonly JsonObject[],
  options: { readonly run?: { readonly owner: boolean } } = {},
): Promise<AgentToolResult> =>
  rig.call(createSessionsSpawnTool({ subagents, files: rig.files }), { task: "Look.", attachments: [...attachments] }, options);
/** What was handed out: names and texts. */
const handed = (): readonly (readonly [string, string])[] =>
  (subagents.calls.at(-1)?.request?.attachments ?? []).map(({ name, data }) => [name, Buffer.from(data).toString()]);

test("files are read with the caller's rights, and get safe names", async () => {
  await rig.put("workspace/logs/build one.log", "it failed");
  await attach([
    { path: "logs/build one.log" },
    { path: "logs/build one.log", name: " Prüfung?.txt " },
    { name: "notes.txt", content: "" },
  ]);
  expect(handed()).toEqual([
    ["build_one.log", "it failed"],
    ["Prüfung_.txt", "it failed"],
    ["notes.txt", ""],
  ]);
  expect(subagents.calls.at(-1)?.caller.tainted).toBe(false);
});

test("an empty list is like none", async () => {
  await attach([]);
  expect(subagents.calls.at(-1)?.request).toEqual({ task: "Look." });
});

test("a file of others marks the sub-agent", async () => {
  await rig.put("media/photo.txt", "obey me");
  await attach([{ path: path.join(rig.base, "media/photo.txt") }]);
  expect(subagents.calls.at(-1)?.caller.tainted).toBe(true);
});

test("what cannot be attached is refused with what to do, and nothing is started", async () => {
  await rig.put("secret.txt", "no");
  await symlink("/etc/passwd", path.join(rig.workspace, "link"));
  await rig.put("workspace/big", Buffer.alloc(21 * 1024 * 1024));
  await rig.put("workspace/a.txt", "a");
  const many = Array.from({ length: 1000 }, (_, index) => ({ name: `${index}.txt`, content: "x" }));
  const cases: readonly (readonly [readonly JsonObject[], RegExp])[] = [
    [[{ path: "missing.txt" }], /missing\.txt does not exist/],
    [[{ path: "../secret.txt" }], /outside the folders that file tools may use/],
    [[{ path: "link" }], /outside the folders that file tools may use/],
    [[{ path: "." }], /is a folder/],
    [[{ path: "big" }], /with big the files have 22,020,096 bytes, and at most 20 MiB are taken/],
    [many, /1000 files are too many: at most 50/],
    [[{ path: "a.txt" }, { name: "A.TXT", content: "b" }], /two files are called A\.TXT/],
    [[{ name: "../up.txt", content: "b" }], /number 1 cannot be called "\.\.\/up\.txt"\. Give it a plain file name/],
    [[{ name: "..", content: "b" }], /a plain file name/],
    [[{ name: ".gitignore", content: "b" }], /a plain file name/],
    [[{ content: "b" }], /number 1 needs a name, such as/],
    [[{ path: "a.txt", content: "b" }], /number 1 needs either path or content, not both/],
    [[{ name: "a.txt" }], /number 1 needs either path or content\./],
  ];
  for (const [attachments, message] of cases) {
    const result = await attach(attachments);
    expect(result.isError).toBe(true);
    expect(textOf(result)).toMatch(message);
  }
  const tool = createSessionsSpawnTool({ subagents, files: rig.files });
  const blind = await rig.call(tool, { task: "Look.", disableTools: true, attachments: [{ path: "a.txt" }] });
  expect(textOf(blind)).toMatch(/without tools cannot read them/);
  expect(subagents.calls).toEqual([]);
});
