import { mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AgentTool, ChangeChecker, CheckedFile, JsonObject, RunFacts } from "@factotum/agent-contract";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createFileAccess } from "../file-access/create-file-access.ts";
import { createApplyPatchTool } from "../patch/apply-patch-tool.ts";
import { createEditTool } from "./edit-tool.ts";
import { createWriteTool } from "./write-tool.ts";

let workspace: string;
let begun: (readonly CheckedFile[])[];
let checked: (readonly CheckedFile[])[];
let ended: number;

beforeEach(async () => {
  workspace = await realpath(await mkdtemp(join(tmpdir(), "checked-")));
  [begun, checked, ended] = [[], [], 0];
});
afterEach(async () => rm(workspace, { recursive: true, force: true }));

const checker: ChangeChecker = {
  covers: (path) => path.endsWith(".ts"),
  begin: (files) => {
    begun.push(files);
    return {
      introduced: async (now) => {
        checked.push(now);
        return Promise.resolve(
          now.some(({ text }) => text.includes("BAD")) ? "This change introduced errors in it:\n1:1 error: bad" : undefined,
        );
      },
      [Symbol.dispose]: () => void (ended += 1),
    };
  },
};

async function run(create: typeof createWriteTool, given: JsonObject): Promise<string> {
  const files = createFileAccess({ roots: () => [], home: join(workspace, ".home") });
  const tool: AgentTool = create({ files, checker });
  const facts: RunFacts = {
    runId: "run",
    kind: "user",
    agentId: "main",
    sessionKey: "key",
    sessionId: "session",
    workspace,
    owner: true,
    timeZone: "UTC",
  };
  const options = { run: facts, signal: new AbortController().signal, tainted: false, onDelta: () => undefined };
  const { content } = await tool.execute({ id: "1", name: tool.name, arguments: given }, options);
  return content.map((part) => (part.type === "text" ? part.text : "")).join("");
}

const patch = (...lines: readonly string[]): JsonObject => ({ patch: ["*** Begin Patch", ...lines, "*** End Patch"].join("\n") });
const file = (name: string, text: string): CheckedFile => ({ path: join(workspace, name), shown: name, text });

describe("the errors that a change introduces", () => {
  test("follow the result of a write, with the text that was replaced", async () => {
    expect(await run(createWriteTool, { path: "a.ts", content: "BAD" })).toBe(
      "Wrote a.ts (3 bytes)\nThis change introduced errors in it:\n1:1 error: bad",
    );
    expect(await run(createWriteTool, { path: "a.ts", content: "good" })).toBe("Wrote a.ts (4 bytes)");
    expect(begun).toEqual([[], [file("a.ts", "BAD")]]);
    expect(checked).toEqual([[file("a.ts", "BAD")], [file("a.ts", "good")]]);
    expect(ended).toBe(2);
  });

  test("follow the result of an edit", async () => {
    await writeFile(join(workspace, "a.ts"), "one\n");
    expect(await run(createEditTool, { path: "a.ts", edits: [{ oldText: "one", newText: "BAD" }] })).toContain(
      "Edited a.ts (1 replacement)\nThis change introduced",
    );
    expect([begun, checked]).toEqual([[[file("a.ts", "one\n")]], [[file("a.ts", "BAD\n")]]]);
  });

  test("follow the result of a patch, for the files that stay where they are", async () => {
    await writeFile(join(workspace, "a.ts"), "one\n");
    await writeFile(join(workspace, "b.ts"), "b\n");
    const given = patch(
      "*** Update File: a.ts",
      "@@",
      "-one",
      "+BAD",
      "*** Delete File: b.ts",
      "*** Add File: c.ts",
      "+c",
      "*** Add File: d.md",
      "+d",
    );
    expect(await run(createApplyPatchTool, given)).toContain("added d.md\nThis change introduced");
    expect(begun).toEqual([[file("a.ts", "one\n")]]);
    expect(checked).toEqual([[file("a.ts", "BAD\n"), file("c.ts", "c\n")]]);
  });

  test("are not looked for in other files, nor after a change that was refused", async () => {
    expect(await run(createWriteTool, { path: "a.md", content: "BAD" })).toBe("Wrote a.md (3 bytes)");
    expect(begun).toEqual([]);
    await writeFile(join(workspace, "binary.ts"), new Uint8Array([0xff, 0xfe, 0]));
    expect(await run(createWriteTool, { path: "binary.ts", content: "BAD" })).toBe("Wrote binary.ts (3 bytes)");
    expect(await run(createWriteTool, { path: "../a.ts", content: "BAD" })).not.toContain("introduced");
    expect([checked, ended]).toEqual([[], begun.length]);
    expect(await readFile(join(workspace, "binary.ts"), "utf8")).toBe("BAD");
  });
});
