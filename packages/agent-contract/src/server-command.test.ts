import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { createServerRun, renderServerCommand, type RunSandbox, type ServerSandbox } from "./index.ts";

test("a server's output comes as it is written, and the end of its standard error after it", () => {
  const script = 'printf "%s\\n" "first $1" >&2; printf "%s\\n" "message"; head -c 3000 /dev/zero | tr "\\0" e >&2';
  const server = { command: "sh", args: ["-c", script, "sh", "it's $HOME"], cwd: "/", env: {}, tainted: false };
  const { command, timeoutMs, input } = renderServerCommand(server);
  expect({ timeoutMs, input }).toEqual({ timeoutMs: 0, input: { type: "pipe" } });
  const { stdout } = spawnSync("sh", ["-c", command.type === "shell" ? command.text : ""], { encoding: "utf8" });
  expect(stdout).toBe(`message\n${"e".repeat(2_000)}`);
  const short = renderServerCommand({ ...server, args: ["-c", 'echo "said $1" >&2', "sh", "it's $HOME"] });
  expect(spawnSync("sh", ["-c", short.command.type === "shell" ? short.command.text : ""], { encoding: "utf8" }).stdout).toBe(
    "said it's $HOME\n",
  );
});

const INHERITED: RunSandbox = { workspaceAccess: "ro", shared: true };
const place = { agentId: "main", workspace: "/w" };

test.each<[ServerSandbox["mode"], ServerSandbox["network"], RunSandbox | undefined, RunSandbox | undefined]>([
  ["off", "none", INHERITED, undefined],
  ["inherit", "none", INHERITED, INHERITED],
  ["inherit", "none", undefined, undefined],
  ["on", "none", undefined, { workspaceAccess: "none", shared: false }],
  ["on", { allow: [] }, INHERITED, { workspaceAccess: "none", shared: false }],
  ["on", { allow: ["a.example"] }, undefined, { workspaceAccess: "none", shared: false, network: ["a.example"] }],
])("a server with the sandbox %s, network %j and a session in %j runs in %j", (mode, network, inherited, expected) => {
  const of = inherited === undefined ? place : { ...place, sandbox: inherited };
  const facts = createServerRun("mcp", { mode, network, workspace: "none" }, of);
  expect(facts).toMatchObject({ ...place, owner: true, sessionId: "mcp" });
  expect(facts.sandbox).toEqual(expected);
});
