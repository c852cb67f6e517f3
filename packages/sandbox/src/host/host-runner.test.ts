import { readFileSync } from "node:fs";
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as startTimer } from "node:timers";
import type { Clock, CommandRequest, CommandResult, RunFacts } from "@factotum/agent-contract";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createHostRunner } from "./host-runner.ts";

/** Short waits are real; the long ones (timeouts) fire only when the test says so. */
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
  await rm(folder, { recursive: true, force: true });
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
  const runner = createHostRunner({ clock, baseEnv, killGraceMs, lingerMs: 150 });
  const request = { command: { type: "shell", text }, cwd: folder, env: {}, timeoutMs: 60_000, maxOutputBytes: 100_000, ...rest } as const;
  return runner.run(request, { signal: abort.signal, run: facts(folder), onOutput });
}

/** Calls back once, as soon as the output holds a line that begins with `word`, with the rest of that line. */
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

/** A zombie does not run: whether it is reaped is up to the machine's first process. */
const isRunning = (processId: number): boolean => {
  try {
    process.kill(processId, 0);
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${processId}/stat`, "utf8"));
  } catch {
    return false;
  }
};

describe("output", () => {
  test("joins both streams in their order and tells the exit code", async () => {
    const result = await run("for i in 1 2 3; do echo out$i; echo err$i >&2; done; exit 3");
    expect(result.output).toBe("out1\nerr1\nout2\nerr2\nout3\nerr3\n");
    expect(result.end).toEqual({ type: "exited", exitCode: 3 });
    expect(result.outputBytes).toBe(30);
  });

  test("hands output on while the command runs, characters whole", async () => {
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

describe("what runs", () => {
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

  test("an aborted signal starts nothing", async () => {
    abort.abort();
    expect(await run("touch started")).toMatchObject({ end: { type: "aborted" }, outputBytes: 0 });
  });

  test("a command that kills itself is told apart from one that exits", async () => {
    expect((await run("kill -9 $$")).end).toEqual({ type: "signalled", signal: "SIGKILL" });
  });
});

describe("environment", () => {
  test("holds the passed names and the request's own, nothing else", async () => {
    const baseEnv = { PATH: process.env["PATH"], HOME: "/h", TZ: "UTC", ANTHROPIC_API_KEY: "secret", LD_PRELOAD: "x", NODE_OPTIONS: "--y" };
    const result = await run("", { command: { type: "argv", file: "env", args: [] }, baseEnv, env: { MINE: "1" } });
    const names = result.output
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => line.slice(0, line.indexOf("=")));
    expect(names.sort()).toEqual(["HOME", "MINE", "PATH", "TZ"]);
  });
});

describe("ending", () => {
  test("a timeout ends the whole group, children that ignore TERM too", async () => {
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

  test("a background child that holds the output does not hold the command and is gone with it", async () => {
    const result = await run("(trap '' TERM; sleep 1000) & echo $!");
    expect(result.end).toEqual({ type: "exited", exitCode: 0 });
    expect(isRunning(Number(result.output))).toBe(false);
  });

  test("a double fork with its output elsewhere is gone too", async () => {
    const result = await run("( (sleep 1000 >/dev/null 2>&1 & echo $! >pid) & ); until [ -s pid ]; do sleep 0.01; done; cat pid");
    expect(result.end).toEqual({ type: "exited", exitCode: 0 });
    expect(isRunning(Number(result.output))).toBe(false);
  });

  test("a process that left the group cannot hang the runner", async () => {
    const result = await run("setsid sleep 1000 & echo $!");
    expect(result.end).toEqual({ type: "exited", exitCode: 0 });
    const escaped = Number(result.output);
    if (isRunning(escaped)) process.kill(escaped, "SIGKILL");
  });
});
