import { readFileSync } from "node:fs";
import { randomUUID } from "node:crypto";
import { mkdtemp, readdir, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as startTimer } from "node:timers";
import type { Clock, CommandRequest, CommandResult, RunFacts } from "@factotum/agent-contract";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createHostRunner } from "./host-runner.ts";

/** Short waits are real; the long ones (timeouts) fire only when the test triggers them. */
function testClock(): Clock & { fireLong(): void } {
  const long = new Set<() => void>();
  return {
    now: () => Date.now(),
    monotonic: () => performance.now(),
    schedule(delayMs, callback) {
      if (delayMs >= 10_000) {
        long.add(callback);
        return { [Symbol.dispose]: () => void long.delete(callback) };
      }
      const timer = startTimer(callback, delayMs);
      return { [Symbol.dispose]: () => clearTimeout(timer) };
    },
    fireLong() {
      for (const callback of long) callback();
    },
  };
}

const facts = (workspace: string): RunFacts => ({
  runId: "run",
  kind: "user",
  agentId: "main",
  sessionKey: "agent:main:main",
  sessionId: "session",
  workspace,
  owner: true,
  timeZone: "UTC",
});

let folder: string;
let clock: ReturnType<typeof testClock>;
let abort: AbortController;

beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "host-runner-")));
  clock = testClock();
  abort = new AbortController();
});
afterEach(async () => {
  abort.abort();
  expect(warnings.splice(0)).toEqual([]);
  await rm(folder, { recursive: true, force: true });
});

const warnings: string[] = [];

const common = () => ({
  clock,
  random: { uuid: randomUUID },
  logger: { warn: (message: string) => void warnings.push(message) },
  recordFolder: join(folder, "records"),
  baseEnv: { PATH: process.env["PATH"] },
  limits: () => ({ maxProcesses: 256, maxMemoryBytes: 2048 * 1024 ** 2 }),
  killGraceMs: 150,
  lingerMs: 150,
});

interface Case extends Partial<CommandRequest> {
  readonly onOutput?: (text: string) => void;
  readonly baseEnv?: Record<string, string | undefined>;
  readonly killGraceMs?: number;
}

function run(
  text: string,
  { onOutput = () => {}, baseEnv = { PATH: process.env["PATH"] }, killGraceMs = 150, ...rest }: Case = {},
): Promise<CommandResult> {
  const runner = createHostRunner({ ...common(), baseEnv, killGraceMs });
  const request = { command: { type: "shell", text }, cwd: folder, env: {}, timeoutMs: 60_000, maxOutputBytes: 100_000, ...rest } as const;
  return runner.run(request, { signal: abort.signal, run: facts(folder), onOutput });
}

/** Calls back once the output has a line that starts with `word`, with the rest of that line. */
function onLine(word: string, callback: (rest: string) => void): (text: string) => void {
  let seen = "";
  let done = false;
  return (text) => {
    seen += text;
    const match = new RegExp(`^${word}(.*)\n`, "m").exec(seen);
    if (match === null || done) return;
    done = true;
    callback(match[1] ?? "");
  };
}

/** A zombie does not count as running: reaping it is up to the machine's first process. */
const isRunning = (processId: number): boolean => {
  try {
    process.kill(processId, 0);
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${processId}/stat`, "utf8"));
  } catch {
    return false;
  }
};

describe("output", () => {
  test("joins both streams in order and returns the exit code", async () => {
    const result = await run("for i in 1 2 3; do echo out$i; echo err$i >&2; done; exit 3");
    expect(result.output).toBe("out1\nerr1\nout2\nerr2\nout3\nerr3\n");
    expect(result.end).toEqual({ type: "exited", exitCode: 3 });
    expect(result.outputBytes).toBe(30);
  });

  test("passes output on while the command runs, in whole characters", async () => {
    const parts: string[] = [];
    const result = await run("printf '\\346'; sleep 0.05; printf '\\274'; sleep 0.05; printf '\\242!'", {
      onOutput: (text) => parts.push(text),
    });
    expect(result.output).toBe("漢!");
    expect(parts.join("")).toBe(result.output);
    expect(parts.join("")).not.toContain("\ufffd");
  });

  test("caps a flood and counts all of it", async () => {
    const result = await run("head -c 3000000 /dev/zero | tr '\\0' x; echo END", { maxOutputBytes: 2_000 });
    expect(result.outputBytes).toBe(3_000_004);
    expect(Buffer.byteLength(result.output)).toBeLessThan(2_100);
    expect(result.output).toMatch(/^x{1000}\n\[… 2998004 bytes of output left out …\]\nx+END\n$/);
  });

  test("standard input is empty", async () => {
    expect((await run("cat; echo done")).output).toBe("done\n");
  });
});

describe("commands", () => {
  test("a program with arguments, without a shell", async () => {
    const result = await run("", { command: { type: "argv", file: "printf", args: ["%s|", "a b", "$HOME", ";"] } });
    expect(result.output).toBe("a b|$HOME|;|");
  });

  test("in the folder of the request", async () => {
    expect((await run("pwd -P")).output.trim()).toBe(folder);
  });

  test.each([
    ["a missing program", { command: { type: "argv", file: "no-such-program", args: [] } }, /no program no-such-program/],
    ["a missing folder", { cwd: "/no/such/folder" }, /working folder does not exist/],
    ["a NUL in an argument", { command: { type: "argv", file: "echo", args: ["a\0b"] } }, /NUL/],
  ] satisfies [string, Case, RegExp][])("%s never starts", async (_name, request, message) => {
    const { end } = await run("true", request);
    expect(end.type).toBe("not-started");
    expect(end.type === "not-started" && end.message).toMatch(message);
  });

  test("an aborted signal starts no command", async () => {
    abort.abort();
    expect(await run("touch started")).toMatchObject({ end: { type: "aborted" }, outputBytes: 0 });
  });

  test("a command that kills itself is distinguished from one that exits", async () => {
    expect((await run("kill -9 $$")).end).toEqual({ type: "signalled", signal: "SIGKILL" });
  });
});

describe("environment", () => {
  test("has the passed names and the request's own, nothing else", async () => {
    const baseEnv = {
      PATH: process.env["PATH"],
      HOME: "/h",
      TZ: "UTC",
      FACTOTUM_HOME: "/f",
      FACTOTUM_TOKEN: "secret",
      ANTHROPIC_API_KEY: "secret",
      LD_PRELOAD: "x",
      NODE_OPTIONS: "--y",
    };
    const result = await run("", { command: { type: "argv", file: "env", args: [] }, baseEnv, env: { MINE: "1" } });
    const names = result.output
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => line.slice(0, line.indexOf("=")));
    expect(names.sort()).toEqual(["FACTOTUM_CHILD", "FACTOTUM_HOME", "HOME", "MINE", "PATH", "TZ"]);
  });
});

describe("ending", () => {
  test("a timeout ends the whole group, even children that ignore TERM", async () => {
    let child = 0;
    const script = "trap '' TERM; (trap '' TERM; sleep 1000; sleep 1000) & echo ready $!; while :; do sleep 1000; done";
    const result = await run(script, {
      onOutput: onLine("ready ", (pid) => {
        child = Number(pid);
        clock.fireLong();
      }),
    });
    expect(result.end).toEqual({ type: "timed-out" });
    expect(child).toBeGreaterThan(0);
    expect(isRunning(child)).toBe(false);
  });

  test("an abort does the same and leaves time to clean up", async () => {
    const result = await run("trap 'echo cleaned; exit 0' TERM; echo ready; while :; do sleep 0.01; done", {
      onOutput: onLine("ready", () => abort.abort()),
      killGraceMs: 9_000,
    });
    expect(result.end).toEqual({ type: "aborted" });
    expect(result.output).toMatch(/^ready\n(.*\n)?cleaned\n$/);
  });

  test("a background child that keeps the output open does not block the command and is ended with it", async () => {
    const result = await run("(trap '' TERM; sleep 1000) & echo $!");
    expect(result.end).toEqual({ type: "exited", exitCode: 0 });
    expect(isRunning(Number(result.output))).toBe(false);
  });

  test("a double fork with its output elsewhere is ended too", async () => {
    const result = await run("( (sleep 1000 >/dev/null 2>&1 & echo $! >pid) & ); until [ -s pid ]; do sleep 0.01; done; cat pid");
    expect(result.end).toEqual({ type: "exited", exitCode: 0 });
    expect(isRunning(Number(result.output))).toBe(false);
  });

  test("a command without leftovers leaves no record", async () => {
    const result = await run("ls records");
    expect(result.output).toMatch(/^[0-9a-f-]{36}\.json\n$/);
    expect(await readdir(join(folder, "records"))).toEqual([]);
  });

  test("no command is started that cannot be recorded", async () => {
    await writeFile(join(folder, "records"), "a file where a folder should be");
    const result = await run("touch started");
    expect(result.end).toMatchObject({ type: "not-started", message: expect.stringContaining("written down") });
    expect(await readdir(folder)).toEqual(["records"]);
  });

  test("closing the runner ends running commands and starts no more", async () => {
    const runner = createHostRunner(common());
    const ready = Promise.withResolvers<string>();
    const request = { cwd: folder, env: {}, timeoutMs: 60_000, maxOutputBytes: 1_000 };
    const options = { signal: abort.signal, run: facts(folder), onOutput: onLine("ready ", ready.resolve) };
    const stubborn = "trap '' TERM; echo ready $$; while :; do sleep 1000; done";
    const running = runner.run({ ...request, command: { type: "shell", text: stubborn } }, options);
    const pid = Number(await ready.promise);
    await runner.close();
    expect(isRunning(pid)).toBe(false);
    expect((await running).end).toEqual({ type: "aborted" });
    expect((await runner.run({ ...request, command: { type: "shell", text: "touch started" } }, options)).end).toEqual({ type: "aborted" });
  });
});

describe.runIf(process.platform === "linux")("processes that leave the group", () => {
  const wait = "until [ -s pid ]; do sleep 0.01; done; cat pid";
  test.each([
    ["a session of its own", `setsid sh -c 'echo $$ >pid; exec sleep 1000' & ${wait}`],
    ["a session of its own, output elsewhere", `setsid sh -c 'echo $$ >pid; exec sleep 1000' >/dev/null 2>&1 </dev/null & ${wait}`],
    [
      "a daemon: two forks, a session, TERM ignored",
      `( (setsid sh -c "trap '' TERM; echo \\$\\$ >pid; while :; do sleep 1000; done" &) & ); ${wait}`,
    ],
    [
      "a wrapper like npx around a server that leaves",
      `node -e "require('child_process').spawn('sh', ['-c', 'echo \\$\\$ >pid; exec sleep 1000'], { detached: true, stdio: 'ignore' }).unref()"; ${wait}`,
    ],
    [
      "a child that cleans its environment below one that did not",
      `setsid sh -c 'env -i sh -c "echo \\$\\$ >pid; sleep 1000; :"; :' & ${wait}`,
    ],
    [
      "a daemon with a clean environment, two sessions away, whose parents have ended",
      `(setsid env -i PATH="$PATH" sh -c '(setsid sh -c "echo \\$\\$ >pid; exec sleep 1000" >/dev/null 2>&1 &)' &); ${wait}`,
    ],
  ])("%s", async (_name, script) => {
    const result = await run(script);
    expect(result.end).toEqual({ type: "exited", exitCode: 0 });
    const pid = Number(result.output);
    expect(pid).toBeGreaterThan(1);
    expect(isRunning(pid)).toBe(false);
    expect(await readdir(join(folder, "records"))).toEqual([]);
  });

  test("are ended at the time limit too", async () => {
    let pid = 0;
    const script = `setsid bash -c "trap '' TERM; echo ready \\$BASHPID; while :; do sleep 1000; done" & wait`;
    const result = await run(script, {
      onOutput: onLine("ready ", (rest) => {
        pid = Number(rest);
        clock.fireLong();
      }),
    });
    expect(result.end).toEqual({ type: "timed-out" });
    expect(pid).toBeGreaterThan(1);
    expect(isRunning(pid)).toBe(false);
  });
});
