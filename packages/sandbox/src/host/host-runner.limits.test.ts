import { randomUUID } from "node:crypto";
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, rmdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CommandRequest, CommandResult } from "@factotum/agent-contract";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openCommandCgroups } from "../cgroup/command-cgroups.ts";
import type { CgroupPlace, CommandCgroups } from "../cgroup/command-cgroups.ts";
import type { CommandLimits } from "../limits/command-limits.ts";
import { createHostRunner } from "./host-runner.ts";
import type { HostRunner } from "./host-runner.ts";
import { askPs, listProcesses } from "./process-table.ts";
import { realClock } from "../../test/real-clock.ts";

const MEGABYTE = 1024 ** 2;
const GENEROUS: CommandLimits = { maxProcesses: 256, maxMemoryBytes: 2_048 * MEGABYTE };
const logger = { warn: (message: string) => void warnings.push(message) };

const UNTIL_ENDED = "until [ -e ended ]; do sleep 0.05; done";

let folder: string;
/** How often the runner has read its limits: at the start of a command in a cgroup, and at each measurement. */
let asked: number;
let warnings: string[];

beforeEach(async () => {
  asked = 0;
  warnings = [];
  folder = await realpath(await mkdtemp(join(tmpdir(), "host-limits-")));
});

afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
  expect(warnings).toEqual([]);
});

function makeRunner(limits: CommandLimits, cgroups?: CommandCgroups, killGraceMs = 2_000): HostRunner {
  const random = { uuid: randomUUID };
  const baseEnv = { PATH: process.env["PATH"] };
  const recordFolder = join(folder, "records");
  const ask = (): CommandLimits => {
    asked += 1;
    return limits;
  };
  return createHostRunner({ clock: realClock, random, logger, recordFolder, baseEnv, limits: ask, cgroups, killGraceMs });
}

async function measured(times: number): Promise<void> {
  const target = asked + times;
  await expect.poll(() => asked, { timeout: 30_000 }).toBeGreaterThanOrEqual(target);
}

function run(runner: HostRunner, command: CommandRequest["command"] | string): Promise<CommandResult> {
  return runner.run(
    {
      command: typeof command === "string" ? { type: "shell", text: command } : command,
      cwd: folder,
      env: {},
      timeoutMs: 60_000,
      maxOutputBytes: 10_000,
    },
    {
      signal: new AbortController().signal,
      run: {
        runId: "run",
        kind: "user",
        agentId: "main",
        sessionKey: "agent:main:main",
        sessionId: "session",
        workspace: folder,
        owner: true,
        timeZone: "UTC",
      },
      onOutput: () => undefined,
    },
  );
}

/** The number of running processes that were started in the folder. */
async function leftRunning(): Promise<number> {
  const rows = await listProcesses();
  const commands = await Promise.all(rows.map(({ id }) => readFile(`/proc/${id}/environ`, "utf8").catch(() => "")));
  return commands.filter((environment) => environment.includes(`PWD=${folder}`)).length;
}

const sleepers = (count: number): string => `echo begun; for i in $(seq ${count}); do sleep 1000 & done; wait`;
/** Holds the memory (the file `held` confirms it) until it is ended or the file `ended` exists. */
const hog = (megabytes: number): string =>
  `node -e 'const held = Buffer.alloc(${megabytes} * 1024 * 1024, 1); fs.writeFileSync("held", ""); setInterval(() => held[0] && fs.existsSync("ended") && process.exit(), 50)'`;

describe.runIf(process.platform === "linux")("measured limits", () => {
  test("a command with too many processes is ended as a whole, with the numbers in the error", async () => {
    const { end, output } = await run(makeRunner({ ...GENEROUS, maxProcesses: 12 }), sleepers(30));
    expect(end).toMatchObject({ type: "over-limit", limit: "processes", allowed: 12 });
    expect(end.type === "over-limit" && end.used).toBeGreaterThan(12);
    expect(output).toMatch(/^begun\n/);
    expect(await leftRunning()).toBe(0);
  });

  test("the maximum number of processes is allowed", async () => {
    const runner = makeRunner({ ...GENEROUS, maxProcesses: 12 });
    const running = run(runner, `for i in 1 2 3 4 5; do (${UNTIL_ENDED}) & done; wait; echo done`);
    await measured(3);
    await writeFile(join(folder, "ended"), "");
    expect(await running).toMatchObject({ end: { type: "exited", exitCode: 0 }, output: "done\n" });
  });

  test("processes count even after leaving: another session, a clean environment, no parent", async () => {
    const daemons = `for i in $(seq 30); do (setsid env -i PATH="$PATH" sh -c '(setsid sleep 1000 >/dev/null 2>&1 &)' &); done; sleep 1000`;
    const { end } = await run(makeRunner({ ...GENEROUS, maxProcesses: 12 }), daemons);
    expect(end).toMatchObject({ type: "over-limit", limit: "processes" });
  });

  test("a command with too much memory is ended, while a smaller one continues", async () => {
    const runner = makeRunner({ ...GENEROUS, maxMemoryBytes: 300 * MEGABYTE });
    const small = run(runner, `${UNTIL_ENDED}; echo done`);
    const large = await run(runner, hog(400));
    expect(large.end).toMatchObject({ type: "over-limit", limit: "memory", allowed: 300 * MEGABYTE });
    await writeFile(join(folder, "ended"), "");
    expect(await small).toMatchObject({ end: { type: "exited", exitCode: 0 }, output: "done\n" });
  });

  test("the sum of all commands counts, and the largest one is ended", async () => {
    const runner = makeRunner({ ...GENEROUS, maxProcesses: 20 });
    const smaller = run(runner, `for i in 1 2 3 4; do (${UNTIL_ENDED}) & done; wait`);
    const larger = await run(runner, sleepers(16));
    expect(larger.end).toMatchObject({ type: "over-limit", limit: "processes" });
    await writeFile(join(folder, "ended"), "");
    expect((await smaller).end).toEqual({ type: "exited", exitCode: 0 });
  });

  test("a command that ignores TERM is killed without a grace", async () => {
    const runner = makeRunner({ ...GENEROUS, maxProcesses: 12 }, undefined, 3_600_000);
    const { end } = await run(runner, `trap '' TERM; ${sleepers(30)}`);
    expect(end).toMatchObject({ type: "over-limit", limit: "processes" });
    expect(await leftRunning()).toBe(0);
  });

  test("shared pages count once", async () => {
    const runner = makeRunner({ ...GENEROUS, maxMemoryBytes: 150 * MEGABYTE });
    const shared = `data=$(head -c 40000000 /dev/zero | tr '\\0' x); for i in 1 2 3 4; do (${UNTIL_ENDED}) & done; echo >held; wait; echo done`;
    const running = run(runner, shared);
    await expect.poll(() => readdir(folder)).toContain("held");
    await measured(3);
    await writeFile(join(folder, "ended"), "");
    expect(await running).toMatchObject({ end: { type: "exited", exitCode: 0 }, output: "done\n" });
  });

  test("ps and the kernel's table agree about this process", async () => {
    const own = (rows: Awaited<ReturnType<typeof listProcesses>>) => rows.find(({ id }) => id === process.pid);
    const { parentId, groupId } = own(await listProcesses()) ?? {};
    expect(own(await askPs())).toMatchObject({ parentId, groupId });
    expect(own(await askPs())?.residentBytes).toBeGreaterThan(10 * MEGABYTE);
  });
});

async function fakePlace(members: readonly number[], enabled = ""): Promise<string> {
  const place = join(folder, "cgroup");
  await mkdir(place);
  await writeFile(join(place, "cgroup.controllers"), "cpu memory pids\n");
  await writeFile(join(place, "cgroup.subtree_control"), enabled);
  await writeFile(join(place, "cgroup.procs"), members.map((id) => `${id}\n`).join(""));
  return place;
}

describe.runIf(process.platform === "linux")("memory of commands outside of a cgroup", () => {
  const limits = { ...GENEROUS, maxMemoryBytes: 300 * MEGABYTE };
  const overMemory = { type: "over-limit", limit: "memory", allowed: limits.maxMemoryBytes };
  /** A plain folder in place of a cgroup: no process enters it, so the shell's `0` stays in `cgroup.procs`. */
  const inside = (megabytes: number): string =>
    `echo $$ >>cgroup/factotum-commands-${process.pid}/$FACTOTUM_CHILD/cgroup.procs; exec ${hog(megabytes)}`;

  test("is measured if no cgroup could be created", async () => {
    const create = () => Promise.reject(new Error("no such device"));
    const { end } = await run(makeRunner(limits, { create, close: () => Promise.resolve() }), hog(400));
    expect(end).toMatchObject(overMemory);
    expect(warnings.splice(0)).toEqual([expect.stringContaining("runs outside of a cgroup")]);
  });

  test("is measured if the command could not enter its cgroup", async () => {
    const cgroups = await openCommandCgroups(logger, { folder: await fakePlace([process.pid]) });
    expect((await run(makeRunner(limits, cgroups), hog(400))).end).toMatchObject(overMemory);
  });

  test("is measured together with that of commands inside, which alone is left to the kernel", async () => {
    const cgroups = await openCommandCgroups(logger, { folder: await fakePlace([process.pid]) });
    const runner = makeRunner({ ...limits, maxMemoryBytes: 450 * MEGABYTE }, cgroups);
    let isRunning = true;
    const large = run(runner, inside(500)).finally(() => (isRunning = false));
    await expect.poll(() => readdir(folder), { timeout: 30_000 }).toContain("held");
    await measured(3);
    expect(isRunning).toBe(true);
    const small = run(runner, hog(20));
    expect((await large).end).toMatchObject({ ...overMemory, allowed: 450 * MEGABYTE });
    await writeFile(join(folder, "ended"), "");
    expect((await small).end).toEqual({ type: "exited", exitCode: 0 });
  });
});

describe.runIf(process.platform === "linux")("limits enforced by a cgroup", () => {
  test("the limits are written, and every command enters its own cgroup before it starts", async () => {
    const place = await fakePlace([process.pid]);
    const cgroups = await openCommandCgroups(logger, { folder: place });
    expect(await readFile(join(place, "factotum-gateway/cgroup.procs"), "utf8")).toBe(String(process.pid));
    expect(await readFile(join(place, "cgroup.subtree_control"), "utf8")).toBe("+pids +memory");
    const commands = join(place, `factotum-commands-${process.pid}`);
    const { output } = await run(makeRunner(GENEROUS, cgroups), `cat ${commands}/*/cgroup.procs`);
    expect(output).toBe("0\n");
    expect(await readFile(join(commands, "pids.max"), "utf8")).toBe(String(256 * 8));
    expect(await readFile(join(commands, "memory.max"), "utf8")).toBe(String(2_048 * MEGABYTE));
    const [id = ""] = (await readdir(commands)).filter((name) => /^[0-9a-f-]{36}$/.test(name));
    expect(await readFile(join(commands, id, "memory.oom.group"), "utf8")).toBe("1");
  });

  test("a command killed by the kernel for its memory reports which limit it was", async () => {
    const cgroups = await openCommandCgroups(logger, { folder: await fakePlace([], "memory pids") });
    const killed = `cd ${folder}/cgroup/factotum-commands-${process.pid}/*/ && printf 'oom 1\\noom_kill 1\\n' >memory.events; kill -9 $$`;
    const { end } = await run(makeRunner({ ...GENEROUS, maxMemoryBytes: 7 * MEGABYTE }, cgroups), killed);
    expect(end).toEqual({ type: "over-limit", limit: "memory", used: 7 * MEGABYTE, allowed: 7 * MEGABYTE });
  });

  test("swapped memory counts if the kernel accounts swap", async () => {
    const cgroups = await openCommandCgroups(logger, { folder: await fakePlace([], "memory pids") });
    const commands = join(folder, `cgroup/factotum-commands-${process.pid}`);
    const runner = makeRunner(GENEROUS, cgroups);
    expect((await run(runner, "echo done")).output).toBe("done\n");
    expect(await readdir(commands)).not.toContain("memory.swap.max");
    await writeFile(join(commands, "memory.swap.max"), "max\n");
    await run(runner, "echo done");
    expect(await readFile(join(commands, "memory.swap.max"), "utf8")).toMatch(/^0/);
  });

  test.each([
    ["a command that ended", { type: "shell", text: "echo done" }],
    ["a command that could not start", { type: "argv", file: "/nowhere/at/all", args: [] }],
  ] as const)("the cgroup of %s is removed", async (_name, command) => {
    const calls: string[] = [];
    const cgroup = { folder, members: () => Promise.resolve([]), wasOutOfMemory: () => Promise.resolve(false) };
    const remove = async (): Promise<void> => void calls.push(`remove, ${await leftRunning()} running`);
    const runner = makeRunner(GENEROUS, {
      create: () => Promise.resolve({ ...cgroup, remove }),
      close: async () => void calls.push("close"),
    });
    await run(runner, command);
    expect(calls).toEqual(["remove, 0 running"]);
    await runner.close();
    expect(calls).toEqual(["remove, 0 running", "close"]);
  });

  test("cgroups of earlier gateways are removed unless they contain processes", async () => {
    const place = await fakePlace([], "memory pids");
    await mkdir(join(place, "factotum-commands-1/left"), { recursive: true });
    await mkdir(join(place, "factotum-commands-2/left/in use"), { recursive: true });
    const cgroups = await openCommandCgroups(logger, { folder: place });
    expect((await readdir(place)).filter((name) => name.startsWith("factotum-"))).toEqual(["factotum-commands-2"]);
    await mkdir(join(place, `factotum-commands-${process.pid}/left`), { recursive: true });
    await cgroups?.close();
    expect((await readdir(place)).filter((name) => name.startsWith("factotum-"))).toEqual(["factotum-commands-2"]);
  });

  test.each([
    ["other processes are in it", [1, process.pid], "cpu memory pids\n"],
    ["a controller is missing", [process.pid], "cpu memory\n"],
  ])("no cgroup is used if %s, and nothing is changed", async (_name, members, controllers) => {
    const place = await fakePlace(members);
    await writeFile(join(place, "cgroup.controllers"), controllers);
    expect(await openCommandCgroups(logger, { folder: place })).toBeUndefined();
    expect((await readdir(place)).sort()).toEqual(["cgroup.controllers", "cgroup.procs", "cgroup.subtree_control"]);
  });

  test.runIf(process.getuid?.() === 0)(
    "a real cgroup holds a process that cleans its environment and changes its marker limit",
    async () => {
      await using real = await realPlace();
      if (real === undefined) return;
      const cgroups = await openCommandCgroups(logger, { folder: real.folder, controllers: [] });
      const runner = makeRunner(GENEROUS, cgroups);
      const daemon = `(setsid env -i PATH="$PATH" bash -c '(ulimit -x 5; setsid sh -c "echo \\$\\$ >pid; exec sleep 1000" >/dev/null 2>&1 &)' &)`;
      const { output } = await run(
        runner,
        `${daemon}; until [ -s pid ]; do sleep 0.01; done; cat pid; grep -h . ${real.folder}/factotum-commands-*/*/cgroup.procs`,
      );
      const [pid = "", ...members] = output.trim().split("\n");
      expect(members).toContain(pid);
      expect((await listProcesses()).some(({ id }) => id === Number(pid))).toBe(false);
      await runner.close();
    },
  );
});

/** An empty cgroup of this machine, if it has a tree of version 2 that this process may write to. */
async function realPlace(): Promise<(Required<Pick<CgroupPlace, "folder">> & AsyncDisposable) | undefined> {
  const mount = (await readFile("/proc/self/mountinfo", "utf8")).split("\n").find((line) => line.includes(" - cgroup2 "));
  const place = join(mount?.split(" ")[4] ?? "/nowhere", `factotum-test-${process.pid}`);
  try {
    await mkdir(place);
  } catch {
    process.stderr.write("NOT RUN: commands in a real cgroup. It needs a writable tree of cgroups, version 2.\n");
    return undefined;
  }
  return {
    folder: place,
    [Symbol.asyncDispose]: async () => {
      for (const name of await readdir(place)) if (name.startsWith("factotum-")) await rmdir(join(place, name)).catch(() => undefined);
      await rmdir(place);
    },
  };
}
