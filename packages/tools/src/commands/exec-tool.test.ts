import type { CommandRequest, CommandResult, CommandRunner } from "@factotum/agent-contract";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createToolRig, textOf, type ToolRig } from "../../test/tool-rig.ts";
import type { FileAccess } from "../file-access/create-file-access.ts";
import { createExecTool } from "./exec-tool.ts";

let rig: ToolRig;
let requests: CommandRequest[];
let answer: CommandResult;
let shown: string[];

beforeEach(async () => {
  rig = await createToolRig();
  requests = [];
  shown = [];
  answer = { end: { type: "exited", exitCode: 0 }, output: "hi\n", outputBytes: 3, durationMs: 5 };
});
afterEach(() => rig[Symbol.asyncDispose]());

const runner: CommandRunner = {
  run(request, { onOutput }) {
    requests.push(request);
    onOutput(answer.output);
    return Promise.resolve(answer);
  },
};

const OPTIONS = { timeoutSeconds: 60, maxResultChars: 1_000, searchPath: "/usr/bin:/bin" } as const;

const execTool = (avoidsShell = false) => createExecTool({ runner, files: rig.files, ...OPTIONS, avoidsShell });

const exec = (args: Parameters<ToolRig["call"]>[1], owner = true) =>
  rig.call(execTool(), args, {
    run: { owner },
    onDelta: (text) => shown.push(text),
  });

test("runs shell text in the workspace and returns its output", async () => {
  expect(await exec({ command: "echo hi" })).toEqual({
    content: [{ type: "text", text: "hi\n" }],
    details: { exitCode: 0, timedOut: false, durationMs: 5, outputBytes: 3 },
  });
  expect(requests).toEqual([
    { command: { type: "shell", text: "echo hi" }, cwd: rig.workspace, env: {}, timeoutMs: 60_000, maxOutputBytes: 800 },
  ]);
  expect(shown).toEqual(["hi\n"]);
});

test("runs for the owner only", async () => {
  const result = await exec({ command: "echo hi" }, false);
  expect(result.isError).toBe(true);
  expect(textOf(result)).toContain("for the owner only");
  expect(requests).toEqual([]);
});

test("passes on the variables of the run; the call's override them, and none decides which program runs", async () => {
  const environment = async ({ runId }: { readonly runId: string }) => ({ RUN: runId, KEY: "k", PATH: "/evil", LD_PRELOAD: "/evil.so" });
  const tool = createExecTool({ runner, files: rig.files, ...OPTIONS, avoidsShell: false, environment });
  await rig.call(tool, { command: "env", env: { KEY: "own" } }, { run: { owner: true, runId: "run-7" } });
  expect(requests[0]?.env).toEqual({ RUN: "run-7", KEY: "own" });
});

test("holds its folder open while it is checked, not while the command runs", async () => {
  let held = 0;
  const files: FileAccess = {
    forRun: async (run) => {
      const access = await rig.files.forRun(run);
      const openFolder = async (path: string) => {
        const folder = await access.openFolder(path);
        const close = folder[Symbol.asyncDispose].bind(folder);
        held += 1;
        const counted = async (): Promise<void> => {
          await close();
          held -= 1;
        };
        return Object.assign(folder, { [Symbol.asyncDispose]: counted });
      };
      return { ...access, openFolder };
    },
  };
  const seen: number[] = [];
  const watching: CommandRunner = {
    run: async () => {
      seen.push(held);
      return answer;
    },
  };
  await rig.call(
    createExecTool({ runner: watching, files, timeoutSeconds: 60, maxResultChars: 1_000, searchPath: "", avoidsShell: false }),
    { command: "sleep 9999" },
  );
  expect(seen).toEqual([0]);
});

test("accepts a folder, variables and a time limit that can only be shorter", async () => {
  await rig.put("workspace/sub/a.txt", "");
  await exec({ command: "x", workdir: "sub", env: { MODE: "1" }, timeoutSeconds: 5 });
  await exec({ command: "x", timeoutSeconds: 5_000 });
  expect(requests).toMatchObject([{ cwd: `${rig.workspace}/sub`, env: { MODE: "1" }, timeoutMs: 5_000 }, { timeoutMs: 60_000 }]);
});

test.each([
  "PATH",
  "path",
  "LD_PRELOAD",
  "LD_LIBRARY_PATH",
  "DYLD_INSERT_LIBRARIES",
  "BASH_ENV",
  "ENV",
  "IFS",
  "PS4",
  "SHELLOPTS",
  "BASH_FUNC_ls",
])("does not let env set %s", async (name) => {
  const result = await exec({ command: "x", env: { [name]: "1" } });
  expect(result.isError).toBe(true);
  expect(textOf(result)).toContain(name);
  expect(requests).toEqual([]);
});

test.each([
  [{ command: "x", env: { "A=B": "1" } }, /variable name/],
  [{ command: "x", workdir: ".." }, /outside/],
  [{ command: "x", workdir: "missing" }, /does not exist/],
  [{ command: "a\0b" }, /NUL/],
  [{ command: "" }, /command/],
])("%j does not run", async (args, message) => {
  const result = await exec(args);
  expect(result.isError).toBe(true);
  expect(textOf(result)).toMatch(message);
  expect(requests).toEqual([]);
});

describe("result of a command", () => {
  test.each([
    [{ type: "exited", exitCode: 1 }, "out", "out\n[exit code 1]", undefined],
    [{ type: "exited", exitCode: 0 }, "", "(no output)", undefined],
    [{ type: "signalled", signal: "SIGSEGV" }, "", "[killed by SIGSEGV]", true],
    [{ type: "timed-out" }, "out\n", "out\n[stopped after 60 seconds: the time limit]", true],
    [
      { type: "over-limit", limit: "processes", used: 300, allowed: 256 },
      "out",
      "out\n[stopped: all running commands together had 300 processes, and tools.exec.maxProcesses allows 256. Do less at a time; your owner can raise the limit in the configuration.]",
      true,
    ],
    [
      { type: "over-limit", limit: "memory", used: 2_200_000_000, allowed: 2_147_483_648 },
      "",
      "[stopped: all running commands together used 2099 MB of memory, and tools.exec.maxMemoryMb allows 2048. Do less at a time; your owner can raise the limit in the configuration.]",
      true,
    ],
    [{ type: "aborted" }, "", "[stopped: the run was aborted]", true],
    [{ type: "not-started", message: "No such folder." }, "", "No such folder.", true],
  ] satisfies [CommandResult["end"], string, string, true | undefined][])("%j", async (end, output, text, isError) => {
    answer = { end, output, outputBytes: output.length, durationMs: 1 };
    const result = await exec({ command: "x" });
    expect(textOf(result)).toBe(text);
    expect(result.isError).toBe(isError);
    expect(result.details).toMatchObject({ exitCode: end.type === "exited" ? end.exitCode : null, timedOut: end.type === "timed-out" });
  });
});

test("observers see the beginning of a flood", async () => {
  answer = { ...answer, output: "x".repeat(5_000) };
  await exec({ command: "x" });
  expect(shown.join("").length).toBeLessThan(1_000);
  expect(shown.join("")).toMatch(/^x{800}\n\[…\]\n$/);
});

describe("what a call would run", () => {
  const inspect = async (args: Parameters<ToolRig["call"]>[1]) =>
    execTool().inspect?.({ id: "call-1", name: "exec", arguments: args }, rig.run);

  test("is its text with its folder and variables, and its binding names the programs", async () => {
    await rig.put("workspace/sub/file", "");
    const found = await inspect({ command: "ls -la", workdir: "sub", env: { A: "1" } });
    expect(found).toMatchObject({
      type: "action",
      text: `ls -la\nFolder: ${rig.workspace}/sub\nVariables: A="1"`,
      binding: {
        command: "ls -la",
        cwd: `${rig.workspace}/sub`,
        env: { A: "1" },
        files: [{ path: expect.stringMatching(/\/ls$/) as string }],
      },
    });
    expect(found).not.toHaveProperty("argv");
    expect(requests).toEqual([]);
  });

  test("has the words of a command that needs no shell, and no others", async () => {
    expect(await inspect({ command: "ls 'a b'" })).toMatchObject({ text: "ls 'a b'", argv: ["ls", "a b"] });
    for (const command of ["ls; ls", "ls > x", "ls $HOME"]) expect(await inspect({ command })).not.toHaveProperty("argv");
  });

  test("is invalid where the call would fail", async () => {
    for (const args of [
      {},
      { command: "" },
      { command: "ls", env: { PATH: "/x" } },
      { command: "l\0s" },
      { command: "ls", workdir: "/etc" },
    ])
      expect(await inspect(args)).toMatchObject({ type: "invalid", message: expect.any(String) as string });
  });
});

test("runs a command without shell syntax directly where the list of allowed commands decides, any other in a shell", async () => {
  for (const command of ["ls 'a b'", "ls | wc"]) await rig.call(execTool(true), { command });
  expect(requests.map((request) => request.command)).toEqual([
    { type: "argv", file: "ls", args: ["a b"] },
    { type: "shell", text: "ls | wc" },
  ]);
});
