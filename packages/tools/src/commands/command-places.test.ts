import type { RunSandbox } from "@factotum/agent-contract";
import { afterEach, beforeEach, expect, test } from "vitest";
import { FakeBackground, fakeRunner } from "../../test/fake-command.ts";
import { FakeClock } from "../../test/fake-clock.ts";
import { createToolRig, textOf, type ToolRig } from "../../test/tool-rig.ts";
import { createExecTool } from "./exec-tool.ts";
import { createProcessTool } from "./process-tool.ts";

let rig: ToolRig;
beforeEach(async () => {
  rig = await createToolRig();
});
afterEach(() => rig[Symbol.asyncDispose]());

const SANDBOXED: RunSandbox = { workspaceAccess: "none", shared: true };
const ELEVATED: RunSandbox = { ...SANDBOXED, elevated: true };
/** Where commands of a run with this sandbox run. */
const PLACES: readonly (readonly [name: string, sandbox: RunSandbox | undefined, isOnHost: boolean])[] = [
  ["no sandbox", undefined, true],
  ["a sandbox", SANDBOXED, false],
  ["a sandbox of its own", { workspaceAccess: "rw", shared: false }, false],
  ["a sandbox with network", { ...SANDBOXED, network: ["a.example"] }, false],
  ["a sandbox that /elevated has left", ELEVATED, true],
  ["a sandbox of its own that /elevated has left", { workspaceAccess: "rw", shared: false, elevated: true }, true],
];

const tools = () => {
  const [background, clock] = [new FakeBackground(), new FakeClock()];
  const runner = fakeRunner((command) => command.end({ type: "exited", exitCode: 0 }));
  return {
    background,
    exec: createExecTool({
      runner,
      files: rig.files,
      background,
      clock,
      timeoutSeconds: 1,
      maxResultChars: 1_000,
      searchPath: "",
      avoidsShell: false,
    }),
    process: createProcessTool({ background, clock, maxResultChars: 1_000 }),
  };
};
const runIn = (owner: boolean, sandbox: RunSandbox | undefined) => ({ owner, ...(sandbox === undefined ? {} : { sandbox }) });

test.each(PLACES)(
  "with %s, exec and process are the owner's alone on the host, and everybody's in the sandbox",
  async (_name, sandbox, isOnHost) => {
    const { exec, process } = tools();
    for (const owner of [true, false]) {
      const run = runIn(owner, sandbox);
      const isRefused = isOnHost && !owner;
      const [ran, listed] = [await rig.call(exec, { command: "ls" }, { run }), await rig.call(process, { action: "list" }, { run })];
      expect([ran.isError ?? false, listed.isError ?? false]).toEqual([isRefused, isRefused]);
      if (isRefused) expect(textOf(ran)).toContain("only");
    }
  },
);

test.each(PLACES)("with %s, a turn sees the commands of the host only from the host", async (_name, sandbox, isOnHost) => {
  const { background, process } = tools();
  const never = fakeRunner(() => undefined);
  for (const [text, place] of [
    ["on the host", undefined],
    ["elevated", ELEVATED],
    ["sandboxed", SANDBOXED],
  ] as const) {
    const run = { ...rig.run, ...runIn(true, place) };
    const request = { command: { type: "shell", text }, cwd: "/", env: {}, timeoutMs: 0, maxOutputBytes: 1 } as const;
    const running = await never.start(request, { run, signal: new AbortController().signal, onOutput: () => undefined });
    await background.keep({ text, hasTerminal: false, running }, { run, tainted: false });
  }
  const listed = textOf(await rig.call(process, { action: "list" }, { run: runIn(true, sandbox) }));
  expect(["on the host", "elevated", "sandboxed"].filter((text) => listed.includes(`: ${text}`))).toEqual(
    isOnHost ? ["on the host", "elevated", "sandboxed"] : ["sandboxed"],
  );
});
