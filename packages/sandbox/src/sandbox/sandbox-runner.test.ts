import { mkdtemp, realpath, rm, symlink, writeFile, mkdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CommandRequest, CommandResult, CommandRunner, RunFacts, RunningCommand } from "@factotum/agent-contract";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { sandboxedRun, specOf } from "../../test/sandbox-scene.ts";
import type { OpenCommandProxy } from "../network/command-proxy.ts";
import { createSandboxRunner, type SandboxRunner, type SandboxRunnerOptions } from "./sandbox-runner.ts";
import type { SandboxSpec } from "./sandbox-spec.ts";

let base: string;
let bin: string;
let workspace: string;
let nowMs: number;
/** Every command that reached the host, as shell text or words. */
let ran: string[];
/** The requests of these commands. */
let requests: CommandRequest[];
/** What was done with their input. */
let typed: string[];
/** What the host answers to a trial start; `undefined`: what the trial prints when it works. */
let trialOutput: string | undefined;

beforeEach(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), "sandbox-runner-")));
  [bin, workspace] = [join(base, "bin"), join(base, "workspace")];
  for (const folder of [bin, workspace]) await mkdir(folder);
  [nowMs, ran, requests, typed, trialOutput] = [0, [], [], [], undefined];
});
afterEach(async () => rm(base, { recursive: true, force: true }));

const install = async (...names: readonly string[]): Promise<void> => {
  for (const name of names) await writeFile(join(bin, name), "", { mode: 0o755 });
};

const result = (output: string): CommandResult => ({
  end: { type: "exited", exitCode: output.startsWith("bad") ? 1 : 0 },
  output,
  outputBytes: 0,
  durationMs: 0,
});

const start: CommandRunner["start"] = async (request) => {
  const { command } = request;
  requests.push(request);
  const text = command.type === "shell" ? command.text : [command.file, ...command.args].join(" ");
  ran.push(text);
  const written = (words: string): "written" => {
    typed.push(words);
    return "written";
  };
  const output = { length: 0, read: () => ({ text: "", offset: 0, next: 0 }), changed: async () => false };
  const ended = text.includes("fails")
    ? Promise.reject(new Error("the host has a bug"))
    : Promise.resolve(result(text.includes("sandbox-works") ? (trialOutput ?? "sandbox-works\n") : "ran"));
  return { ended, output, write: written, closeInput: () => written("[closed]"), kill: () => void written("[killed]") };
};
const host: CommandRunner = { start, run: async (request, run) => (await start(request, run)).ended };

function runner(change: Partial<SandboxRunnerOptions> = {}, spec: Partial<SandboxSpec> = {}): SandboxRunner {
  let ids = 0;
  return createSandboxRunner({
    host,
    clock: { monotonic: () => nowMs },
    random: { uuid: () => `id${(ids += 1)}` },
    baseEnv: {
      PATH: bin,
      TZ: "UTC",
    },
    platform: "linux",
    architecture: "x64",
    folder: join(base, "files"),
    userHome: "/home/a",
    userId: 1,
    groupId: 1,
    label: "l=1",
    ownsContainers: true,
    sandboxOf: async (run) =>
      run.sandbox === undefined
        ? undefined
        : specOf(join(base, "home"), workspace, {
            backend: "auto",
            image: "i",
            ...spec,
          }),
    ...change,
  });
}

const REQUEST: CommandRequest = { command: { type: "shell", text: "do it" }, cwd: "/w", env: {}, timeoutMs: 1_000, maxOutputBytes: 100 };
const run = async (sandbox: SandboxRunner, facts: RunFacts = sandboxedRun(workspace), request = REQUEST): Promise<CommandResult> =>
  sandbox.run(request, { run: facts, signal: new AbortController().signal, onOutput: () => undefined });

describe("a run without a sandbox", () => {
  test("runs on the host as it is, and no backend is looked for", async () => {
    const { sandbox: _, ...facts } = sandboxedRun(workspace);
    expect(await run(runner(), facts)).toMatchObject({ output: "ran" });
    expect(ran).toEqual(["do it"]);
  });
});

describe("a sandboxed run", () => {
  test("without a backend is refused with what to install, and reaches the host in no form", async () => {
    const { end, output } = await run(runner());
    expect(end).toEqual({
      type: "not-started",
      message: expect.stringMatching(/no program bwrap on the PATH.*apt install bubblewrap/s) as string,
    });
    expect([output, ran]).toEqual(["", []]);
  });

  test("is refused with bubblewrap's own reason if a trial start fails, for half a minute; then it is tried again", async () => {
    await install("bwrap");
    trialOutput = "bad\nbwrap: No permissions to create new namespace\n";
    const sandbox = runner();
    expect((await run(sandbox)).end).toMatchObject({
      message: expect.stringContaining("No permissions to create new namespace") as string,
    });
    trialOutput = undefined;
    nowMs = 29_000;
    expect((await run(sandbox)).end).toMatchObject({ type: "not-started" });
    nowMs = 31_000;
    expect((await run(sandbox)).output).toBe("ran");
    expect(ran.filter((text) => text.includes("sandbox-works"))).toHaveLength(2);
  });

  test("is rewritten for bubblewrap, after one trial start for all of them", async () => {
    await install("bwrap", "podman");
    const sandbox = runner();
    expect((await Promise.all([run(sandbox), run(sandbox)])).map(({ output }) => output)).toEqual(["ran", "ran"]);
    expect(ran).toHaveLength(3);
    expect(ran.at(-1)).toMatch(
      /^exec .*\/bin\/bwrap .* --bind .*\/workspace .* --setenv TZ UTC .* --chdir \/w -- .*'do it' 9<.*seccomp\.bpf$/s,
    );
  });

  test.each([
    [["podman", "docker"], "podman"],
    [["docker"], "docker"],
  ])("uses %j if bubblewrap is missing: %s; the container is removed afterwards, whatever the end", async (installed, used) => {
    await install(...installed);
    const sandbox = runner();
    expect((await run(sandbox)).output).toBe("ran");
    await expect(run(sandbox, sandboxedRun(workspace), { ...REQUEST, command: { type: "shell", text: "fails" } })).rejects.toThrow("bug");
    const of = (pattern: RegExp): number => ran.filter((text) => pattern.test(text)).length;
    expect(of(new RegExp(`/bin/${used} run --rm`))).toBe(3);
    for (const id of [1, 2, 3]) expect(of(new RegExp(`^\\S*/bin/${used} rm --force factotum-id${id}$`))).toBe(1);
    // What a killed gateway left is removed once, before the first container.
    expect(ran[0]).toContain("ps --all --quiet --filter label=l=1");
    expect(of(/ps --all/)).toBe(1);
  });

  test("leaves the containers of a gateway alone if this process is not a gateway", async () => {
    await install("podman");
    await run(runner({ ownsContainers: false }));
    expect(ran.filter((text) => text.includes("ps --all"))).toEqual([]);
  });

  test("uses the configured backend alone", async () => {
    await install("bwrap");
    expect((await run(runner({}, { backend: "podman" }))).end).toMatchObject({
      message: expect.stringContaining("podman pull i") as string,
    });
  });

  test.each([
    ["bubblewrap", "linux", "riscv64", "no filter of system calls for riscv64"],
    ["bubblewrap", "darwin", "arm64", "exists on Linux alone"],
    ["seatbelt", "linux", "x64", "exists on macOS alone"],
    ["seatbelt", "linux", "x64", "Choose another sandbox.backend"],
  ] as const)("%s on %s %s is refused: %s", async (backend, platform, architecture, reason) => {
    await install("bwrap", "sandbox-exec");
    expect((await run(runner({ platform, architecture }, { backend }))).end).toMatchObject({
      message: expect.stringContaining(reason) as string,
    });
  });

  test("uses seatbelt on macOS", async () => {
    await install("sandbox-exec", "podman");
    expect((await run(runner({ platform: "darwin" }))).output).toBe("ran");
    expect(ran.at(-1)).toContain("/usr/bin/sandbox-exec -p");
  });

  test("is refused if its workspace is a hidden place", async () => {
    await install("bwrap");
    const refused = await run(runner({}, { hidden: [workspace] }));
    expect(refused.end).toMatchObject({ message: expect.stringContaining("Choose another workspace") as string });
  });

  test("is refused if its sandbox cannot be determined", async () => {
    const sandboxOf = async (): Promise<never> => Promise.reject(new Error("no agent"));
    expect((await run(runner({ sandboxOf }))).end).toMatchObject({ message: expect.stringContaining("no agent") as string });
    expect(ran).toEqual([]);
  });

  test("has the account's home as HOME if nothing shows it, else /tmp", async () => {
    await install("bwrap");
    await run(runner());
    expect(ran.at(-1)).toContain("--setenv HOME /home/a ");
    for (const userHome of [workspace, join(workspace, "inner"), "/"]) {
      await run(runner({ userHome }));
      expect(ran.at(-1)).toContain("--setenv HOME /tmp ");
    }
  });

  test("does not follow a symbolic link into a hidden place", async () => {
    await install("bwrap");
    const home = join(base, "home");
    await mkdir(join(home, "state"), { recursive: true });
    await symlink(join(home, "state"), join(base, "link"));
    await run(runner({}, { readOnly: [join(base, "link"), join(base, "missing"), bin] }));
    expect(ran.at(-1)).toContain(`--ro-bind ${bin} ${bin}`);
    for (const absent of ["/state ", "/link", "missing"]) expect(ran.at(-1)).not.toContain(absent);
  });
});

describe("a command with network", () => {
  const NETWORK = { hosts: () => ["a.example"] };
  let opened: (string | undefined)[];
  let closed: number;
  const openProxy: OpenCommandProxy = async (network, { socketPath }) => {
    expect(network.hosts()).toEqual(["a.example"]);
    opened.push(socketPath);
    return {
      port: socketPath === undefined ? 4711 : 0,
      token: "secret",
      refused: () => ["b.example is not among the allowed hosts"],
      [Symbol.asyncDispose]: async () => void (closed += 1),
    };
  };
  beforeEach(() => {
    [opened, closed] = [[], 0];
  });
  const network = { openProxy, node: "/opt/node" };

  test.each([
    ["bwrap", "linux", /proxy-id\d\.sock$/, "http://factotum:secret@127.0.0.1:3128"],
    ["podman", "linux", /proxy-id\d\.sock$/, "http://factotum:secret@127.0.0.1:3128"],
    ["sandbox-exec", "darwin", undefined, "http://factotum:secret@127.0.0.1:4711"],
  ] as const)(
    "has a proxy of its own under %s on %s, named by its variables, that is closed with it",
    async (program, platform, socket, url) => {
      await install(program);
      expect(await run(runner({ platform, network }, { network: NETWORK }))).toMatchObject({
        output: "ran",
        refusedRequests: ["b.example is not among the allowed hosts"],
      });
      expect([opened.length, closed]).toEqual([1, 1]);
      if (socket === undefined) expect(opened).toEqual([undefined]);
      else expect(opened[0]).toMatch(socket);
      const line = ran.find((text) => text.includes("do it")) ?? "";
      for (const name of ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"])
        expect(line).toMatch(new RegExp(`${name}[ =]${url}`));
      for (const name of ["NO_PROXY", "no_proxy"]) expect(line).toMatch(new RegExp(`${name}[ =]localhost,127\\.0\\.0\\.1,::1`));
    },
  );

  test("closes the proxy if the host fails, and has none where the list is absent", async () => {
    await install("bwrap");
    const command = { type: "shell", text: "fails" } as const;
    await expect(run(runner({ network }, { network: NETWORK }), sandboxedRun(workspace), { ...REQUEST, command })).rejects.toThrow("bug");
    expect([opened.length, closed]).toEqual([1, 1]);
    await run(runner({ network }));
    expect(opened).toHaveLength(1);
    expect(ran.at(-1)).not.toContain("PROXY");
  });

  test.each<[string, Partial<SandboxRunnerOptions>, string]>([
    ["no proxy can be opened here", {}, "opens no proxy"],
    ["its proxy fails", { network: { node: "/n", openProxy: async () => Promise.reject(new Error("no port left")) } }, "no port left"],
    ["the state directory is too deep for a socket", { network, folder: "x".repeat(100) }, "shorter state directory"],
  ])("is refused if %s", async (_name, change, message) => {
    await install("bwrap");
    const options = { ...change, folder: join(base, change.folder ?? "files") };
    expect((await run(runner(options))).output).toBe("ran");
    expect((await run(runner(options, { network: NETWORK }))).end).toMatchObject({
      type: "not-started",
      message: expect.stringContaining(message) as string,
    });
  });
});

describe("a command in the background", () => {
  const begin = async (sandbox: SandboxRunner, input: NonNullable<CommandRequest["input"]>): Promise<RunningCommand> =>
    sandbox.start({ ...REQUEST, input }, { run: sandboxedRun(workspace), signal: new AbortController().signal, onOutput: () => undefined });

  test("runs in the same sandbox, with its input", async () => {
    await install("bwrap");
    const running = await begin(runner(), { type: "pipe" });
    expect(ran.at(-1)).toMatch(/^exec .*\/bin\/bwrap .*'do it' 9</s);
    expect(requests.at(-1)).toMatchObject({ cwd: "/", input: { type: "pipe" }, timeoutMs: 1_000 });
    expect([running.write("yes\n"), running.closeInput()]).toEqual(["written", "written"]);
    running.kill();
    expect(typed).toEqual(["yes\n", "[closed]", "[killed]"]);
    expect((await running.ended).output).toBe("ran");
  });

  test("has its terminal inside of the sandbox: the host sees a pipe, and the end of input is typed", async () => {
    await install("bwrap");
    const running = await begin(runner(), { type: "terminal", columns: 100, rows: 30 });
    expect(requests.at(-1)).toMatchObject({ input: { type: "pipe" } });
    expect(ran.at(-1)).toMatch(/--setenv TERM xterm-256color .*script -qefc .*stty rows 30 cols 100/s);
    running.closeInput();
    expect(typed).toEqual(["\u0004"]);
  });

  test("is kept open in a container, which is removed after the end", async () => {
    await install("podman");
    const running = await begin(runner(), { type: "pipe" });
    await running.ended;
    expect(ran.at(-2)).toMatch(/podman run --rm --init --interactive /);
    expect(ran.at(-1)).toMatch(/podman rm --force factotum-id\d$/);
  });

  test("without a backend has ended, with what to install", async () => {
    const running = await begin(runner(), { type: "pipe" });
    expect((await running.ended).end).toMatchObject({ type: "not-started", message: expect.stringContaining("apt install") as string });
    expect([running.write("x"), running.closeInput(), running.output.length, ran]).toEqual(["closed", "closed", 0, []]);
    running.kill();
  });
});
