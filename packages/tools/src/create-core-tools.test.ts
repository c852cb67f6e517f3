import type { AgentTool, MessagingFeatures } from "@factotum/agent-contract";
import { readFile } from "node:fs/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { FakeBackground } from "../test/fake-command.ts";
import { fakeJobs } from "../test/fake-jobs.ts";
import { fakeSubagents } from "../test/fake-subagents.ts";
import { FakeClock } from "../test/fake-clock.ts";
import { createToolRig, textOf, type ToolRig } from "../test/tool-rig.ts";
import { webAccess } from "../test/web-rig.ts";
import { createCoreTools, type CoreToolsOptions } from "./create-core-tools.ts";

let rig: ToolRig;
let options: CoreToolsOptions;
let tools: readonly AgentTool[];

beforeEach(async () => {
  rig = await createToolRig();
  options = {
    files: rig.files,
    runner: { run: () => Promise.reject(new Error("not in this test")), start: () => Promise.reject(new Error("not in this test")) },
    background: new FakeBackground(),
    clock: new FakeClock(),
    messenger: { perform: () => Promise.reject(new Error("not in this test")) },
    questioner: { ask: () => Promise.reject(new Error("not in this test")) },
    planBoard: { show: () => Promise.reject(new Error("not in this test")) },
    reporter: { describe: async () => "Now: Mon 2026-06-15 14:31 UTC" },
    settings: {
      describe: () => Promise.reject(new Error("not in this test")),
      read: () => Promise.reject(new Error("not in this test")),
      plan: () => Promise.reject(new Error("not in this test")),
      write: () => Promise.reject(new Error("not in this test")),
    },
    restarter: { restartAfter: () => undefined },
    jobs: fakeJobs(),
    sessions: {
      list: () => Promise.reject(new Error("not in this test")),
      history: () => Promise.reject(new Error("not in this test")),
      agents: () => Promise.reject(new Error("not in this test")),
      send: () => Promise.reject(new Error("not in this test")),
      sendProblem: () => Promise.reject(new Error("not in this test")),
    },
    subagents: fakeSubagents(),
    web: webAccess({}),
    execTimeoutSeconds: 1_800,
    readPdf: () => Promise.reject(new Error("not in this test")),
  };
  tools = createCoreTools(options);
});
afterEach(() => rig[Symbol.asyncDispose]());

const tool = (name: string): AgentTool => {
  const found = tools.find((each) => each.name === name);
  if (found === undefined) throw new Error(`There is no tool ${name}.`);
  return found;
};

test("are the twenty-four, sorted, each with the traits that policies need", () => {
  const table = tools.map(({ name, traits: { effect, idempotent, output, network, parallel } }) =>
    [name, effect, idempotent, output, network, parallel].join(" "),
  );
  expect(table).toEqual([
    "agents_list read true trusted false true",
    "apply_patch write false trusted false false",
    "ask_user read true trusted false false",
    "cron execute false trusted true false",
    "edit write false trusted false false",
    "exec execute false trusted true false",
    "find read true trusted false true",
    "gateway config false trusted false false",
    "grep read true trusted false true",
    "ls read true trusted false true",
    "message send false trusted true false",
    "process execute false trusted true false",
    "read read true trusted false true",
    "session_status read true trusted false true",
    "sessions_history read true trusted false true",
    "sessions_list read true trusted false true",
    "sessions_send send false trusted false true",
    "sessions_spawn execute false trusted true false",
    "sessions_yield read true trusted false false",
    "subagents delegate false trusted false false",
    "update_plan read true trusted false false",
    "web_fetch read true untrusted true true",
    "web_search read true untrusted true true",
    "write write true trusted false false",
  ]);
});

test("are those that the README lists", async () => {
  const readme = await readFile(new URL("../README.md", import.meta.url), "utf8");
  expect(/The core tools that an agent can call: `([^`]+)`/.exec(readme)?.[1]?.split(" ")).toEqual(tools.map(({ name }) => name));
});

test("describe their configured defaults and limits", async () => {
  const made = createCoreTools({ ...options, execTimeoutSeconds: 77, maxResultChars: 9_000 });
  const described = (name: string): string => JSON.stringify(made.find((each) => each.name === name));
  expect(described("exec")).toContain("Default and maximum: 77");
  expect(described("exec")).toContain("over 8800 bytes");
  expect(described("exec")).toContain("fresh shell");
  expect(described("read")).toContain("at most 9000 characters");
  expect(described("grep")).toContain("at most 9000 characters");
  expect(["find", "grep", "ls"].map((name) => /"Default (\d+)"/.exec(described(name))?.[1])).toEqual(["200", "100", "500"]);
});

test("have exactly the intended descriptions", async () => {
  const texts = tools.map(({ name, summary, description, parameters }) => {
    const { properties } = parameters as { readonly properties: Readonly<Record<string, object>> };
    const lines = Object.entries(properties).map(([key, schema]) => `- ${key}: ${JSON.stringify(schema)}`);
    return [`## ${name}`, `Summary: ${summary}`, "", description, "", ...lines].join("\n");
  });
  await expect(`# Tools as the model sees them\n\n${texts.join("\n\n")}\n`).toMatchFileSnapshot("../fixtures/core-tools.md");
});

/** A session on a channel that has nothing but text and files. */
const PLAIN: MessagingFeatures = { actions: [], elsewhere: true, ephemeral: false, silent: false, threads: false };

test("message explains its address and lists one name for the file", () => {
  const message = tool("message");
  const { properties } = (message.narrow?.(PLAIN) ?? message).parameters as { readonly properties: Record<string, unknown> };
  expect(Object.keys(properties)).toEqual(["action", "message", "media", "mentions", "replyTo", "target", "channel"]);
  expect(properties["target"]).toMatchObject({ description: expect.stringMatching(/chat_id.*user:<id>.*channel:<id>/) as string });
  expect(properties["channel"]).toMatchObject({ description: expect.stringMatching(/messaging service/) as string });
});

test("together take at most 8,900 bytes of a request on a plain channel, and 12,400 on the richest", () => {
  // The gateway offers the tools of automation, for sessions and of sub-agents by name alone, until one is asked for.
  const requested = tools.filter(({ name }) => !/^(?:agents_list|cron|gateway|sessions_.*|subagents)$/.test(name));
  const bytes = (narrow: (one: AgentTool) => Pick<AgentTool, "description" | "parameters">): number =>
    Buffer.byteLength(
      JSON.stringify(
        requested.map((one) => {
          const { description, parameters } = narrow(one);
          return { name: one.name, description, input_schema: parameters };
        }),
      ),
    );
  expect(bytes((one) => one.narrow?.(PLAIN) ?? one)).toBeLessThanOrEqual(8_900);
  expect(bytes((one) => one)).toBeLessThanOrEqual(12_400);
  for (const { parameters, summary } of tools) {
    expect(parameters).not.toHaveProperty("$schema");
    expect(parameters).toMatchObject({ type: "object" });
    expect(JSON.stringify(parameters)).not.toContain("file_path");
    expect(summary).toMatch(/^.{10,60}$/);
  }
});

test("find, write and change files in sequence, as in a conversation", async () => {
  await rig.put("workspace/README.md", "# Project\n");
  await rig.put("workspace/requirements.txt", "");
  await rig.put("workspace/scripts/run.sh", "");
  const listed = await rig.call(tool("ls"), { path: "." });
  expect(textOf(listed)).toBe("README.md\nrequirements.txt\nscripts/\n");
  expect(listed.details).toMatchObject({ entries: ["README.md", "requirements.txt", "scripts/"] });

  const content = "#!/usr/bin/env python3\nprint('你好')\n";
  const written = await rig.call(tool("write"), { file_path: "list_files.py", content });
  expect(written).toEqual({
    content: [{ type: "text", text: "Wrote list_files.py (39 bytes)" }],
    details: { path: "list_files.py", bytesWritten: 39 },
  });
  expect(textOf(await rig.call(tool("read"), { path: "./list_files.py" }))).toBe(content);

  const edited = await rig.call(tool("edit"), { path: "list_files.py", edits: [{ oldText: "你好", newText: "hello" }] });
  expect(textOf(edited)).toBe("Edited list_files.py (1 replacement)");
  const { diff } = edited.details as { readonly diff: string };
  expect(diff).toContain("-print('你好')\n+print('hello')\n");
  expect(textOf(await rig.call(tool("read"), { path: "list_files.py" }))).toContain("print('hello')");
});

test.each(["read", "write", "edit", "apply_patch", "ls", "grep", "find"])(
  "%s cannot access the state folder or anything else outside",
  async (name) => {
    await rig.put("home/factotum.json5", "SECRET");
    await rig.put("secret.txt", "SECRET");
    const rest = {
      write: { content: "x" },
      edit: { edits: [{ oldText: "SECRET", newText: "x" }] },
      grep: { pattern: "SECRET" },
      find: { pattern: "*" },
    };
    for (const path of ["../home/factotum.json5", "../home", "../secret.txt", ".."]) {
      const patch = `*** Begin Patch\n*** Update File: ${path}\n@@\n-SECRET\n+x\n*** End Patch`;
      const result = await rig.call(tool(name), name === "apply_patch" ? { patch } : { path, ...rest[name as keyof typeof rest] });
      expect(result.isError).toBe(true);
      expect(textOf(result)).not.toContain("SECRET\n");
      expect(textOf(result)).toMatch(/outside the folders|closed to tools/);
    }
  },
);

test.each([
  ["write", { path: "AGENTS.md", content: "x" }, "AGENTS.md", "Write AGENTS.md:\nx"],
  ["write", { path: "list.md", content: "x" }, undefined, "Write list.md:\nx"],
  [
    "edit",
    {
      path: "AGENTS.md",
      edits: [
        { oldText: "a\nb", newText: "" },
        { oldText: "c", newText: "d", replaceAll: true },
      ],
    },
    "AGENTS.md",
    "Edit AGENTS.md:\n@@\n-a\n-b\n@@ everywhere\n-c\n+d",
  ],
  [
    "apply_patch",
    { patch: "*** Begin Patch\n*** Update File: list.md\n*** Move to: AGENTS.md\n@@\n-a\n+b\n*** End Patch" },
    "AGENTS.md",
    "*** Begin Patch\n*** Update File: list.md\n*** Move to: AGENTS.md\n@@\n-a\n+b\n*** End Patch",
  ],
  ["apply_patch", { patch: "nothing" }, undefined, "nothing"],
])("%s says which instructions %j would change, and what it would do", async (name, args, changed, text) => {
  const known = await createToolRig({
    provenance: {
      beforeWrite: async () => ({ type: "allow" }),
      instructionAt: async (path) => (path.endsWith("/AGENTS.md") ? "AGENTS.md" : undefined),
      isUntrusted: async () => false,
    },
  });
  await using _rig = known;
  const found = createCoreTools({ ...options, files: known.files }).find((one) => one.name === name);
  const call = { id: "call", name, arguments: args };
  expect(await found?.changedInstructions?.(call, known.run)).toBe(changed);
  expect(await found?.inspect?.(call, known.run)).toMatchObject({ type: "action", text });
});
