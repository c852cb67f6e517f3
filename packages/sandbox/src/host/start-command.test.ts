import { randomUUID } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { mkdtemp, readdir, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CommandRequest, RunFacts, RunningCommand } from "@factotum/agent-contract";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createHostRunner } from "./host-runner.ts";
import type { HostRunner } from "./host-runner.ts";
import { realClock } from "../../test/real-clock.ts";

/** Hides one word, and holds back what could be its beginning. */
class WordRedactor {
  held = "";
  readonly maxSecretChars = 20;

  redact(text: string): string {
    return this.held === "" ? text : text.replaceAll(this.held, "***");
  }

  stream(emit: (text: string) => void): { readonly push: (text: string) => void; readonly flush: () => void } {
    let waiting = "";
    const flush = (): void => {
      if (waiting !== "") emit(this.redact(waiting));
      waiting = "";
    };
    const push = (text: string): void => {
      waiting += text;
      const starts = Array.from({ length: this.held.length }, (_, index) => this.held.slice(0, index));
      if (!starts.some((start) => start !== "" && waiting.endsWith(start))) flush();
    };
    return { push, flush };
  }
}

let folder: string;
let redactor: WordRedactor;
let runner: HostRunner;
let abort: AbortController;
const warnings: string[] = [];

beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "start-command-")));
  abort = new AbortController();
  redactor = new WordRedactor();
  runner = createHostRunner({
    clock: realClock,
    random: { uuid: randomUUID },
    logger: { warn: (message) => void warnings.push(message) },
    recordFolder: join(folder, "records"),
    baseEnv: { PATH: process.env["PATH"], SHELL: "/no/such/shell", TERM: "dumb" },
    limits: () => ({ maxProcesses: 256, maxMemoryBytes: 2048 * 1024 ** 2 }),
    redactor,
    killGraceMs: 150,
    lingerMs: 150,
  });
});
afterEach(async () => {
  await runner.close();
  expect(warnings.splice(0)).toEqual([]);
  expect(await readdir(join(folder, "records")).catch(() => [])).toEqual([]);
  await rm(folder, { recursive: true, force: true });
});

const TERMINAL = { type: "terminal", columns: 100, rows: 30 } as const;

function start(text: string, request: Partial<CommandRequest> = {}): Promise<RunningCommand> {
  const run: RunFacts = {
    runId: "run",
    kind: "user",
    agentId: "main",
    sessionKey: "agent:main:main",
    sessionId: "session",
    workspace: folder,
    owner: true,
    timeZone: "UTC",
  };
  return runner.start(
    { command: { type: "shell", text }, cwd: folder, env: {}, timeoutMs: 60_000, maxOutputBytes: 10_000, ...request },
    { signal: abort.signal, run, onOutput: () => undefined },
  );
}

/** Resolves with the output once it matches. */
async function until({ output }: RunningCommand, pattern: RegExp): Promise<string> {
  for (;;) {
    const { text } = output.read(0, 1_000_000);
    if (pattern.test(text)) return text;
    if (!(await output.changed(output.length, { signal: abort.signal }))) throw new Error(`it ended with ${JSON.stringify(text)}`);
  }
}

/** Processes of this machine with this text in their command line. */
function processesWith(mark: string): readonly string[] {
  return readdirSync("/proc").filter((id) => {
    if (!/^\d+$/.test(id) || id === String(process.pid)) return false;
    try {
      return readFileSync(`/proc/${id}/cmdline`, "utf8").includes(mark);
    } catch {
      return false;
    }
  });
}

describe("a running command", () => {
  test("is read, written to and ended by the end of its input", async () => {
    const command = await start("while read -r line; do echo got $line; done; echo bye", { input: { type: "pipe" } });
    expect(command.write("one\n")).toBe("written");
    expect(await until(command, /got one\n/)).toBe("got one\n");
    expect(command.write("two\n")).toBe("written");
    expect(command.closeInput()).toBe("written");
    expect(command.write("three\n")).toBe("closed");
    expect(command.closeInput()).toBe("closed");
    expect(await command.ended).toMatchObject({ end: { type: "exited", exitCode: 0 }, output: "got one\ngot two\nbye\n" });
    expect(command.output.read(8, 7)).toEqual({ text: "got two", offset: 8, next: 15 });
    expect(await command.output.changed(command.output.length, abort)).toBe(false);
  });

  test("shows what could be the beginning of a secret once nothing follows, and hides a secret that comes in two pieces", async () => {
    const secret = "5f0c1a2b3c4d";
    redactor.held = secret;
    const command = await start(`printf 'port 5'; read -r line; printf '5f0c'; printf '1a2b3c4d'; sleep 1000`, { input: { type: "pipe" } });
    expect(await until(command, /port 5/)).toBe("port 5");
    command.write("go on\n");
    expect(await until(command, /port 5.+/)).toBe("port 5***");
    command.kill();
    await command.ended;
  });

  test("without input has an empty one", async () => {
    for (const request of [{}, { input: { type: "none" } as const }]) {
      const command = await start("cat; echo done", request);
      expect(command.write("x")).toBe("closed");
      expect(command.closeInput()).toBe("closed");
      expect((await command.ended).output).toBe("done\n");
    }
  });

  test("that closes its input, or has ended, takes none", async () => {
    const command = await start("exec <&-; echo closed; sleep 1000", { input: { type: "pipe" } });
    await until(command, /closed/);
    await expect.poll(() => command.write("x".repeat(100_000))).toBe("closed");
    command.kill();
    await command.ended;
    const ended = await start("true", { input: { type: "pipe" } });
    await ended.ended;
    expect(ended.write("x")).toBe("closed");
  });

  test("that does not read its input cannot fill the memory", async () => {
    const command = await start("sleep 1000", { input: { type: "pipe" } });
    const outcomes = Array.from({ length: 30 }, () => command.write("x".repeat(100_000)));
    expect(outcomes).toContain("full");
    command.kill();
    expect((await command.ended).end).toEqual({ type: "aborted" });
  });

  test("that ignores TERM is killed with its children", async () => {
    const mark = `mark-${randomUUID()}`;
    const command = await start(`trap '' TERM; (trap '' TERM; exec -a ${mark} sleep 1000) & echo ready; while :; do sleep 1000; done`);
    await until(command, /ready/);
    command.kill();
    command.kill();
    expect((await command.ended).end).toEqual({ type: "aborted" });
    expect(processesWith(mark)).toEqual([]);
  });

  test("without a time limit runs until it is killed", async () => {
    const command = await start("echo ready; sleep 1000", { timeoutMs: 0 });
    await until(command, /ready/);
    command.kill();
    expect((await command.ended).end).toEqual({ type: "aborted" });
  });

  test("ends with its signal, and at its time limit", async () => {
    const stopped = await start("echo ready; sleep 1000");
    await until(stopped, /ready/);
    const late = await start("echo ready; sleep 1000", { timeoutMs: 50 });
    expect((await late.ended).end).toEqual({ type: "timed-out" });
    abort.abort();
    expect((await stopped.ended).end).toEqual({ type: "aborted" });
  });

  test("that cannot start has ended, and says why", async () => {
    const command = await start("", { command: { type: "argv", file: "no-such-program", args: [] }, input: { type: "pipe" } });
    expect((await command.ended).end).toMatchObject({ type: "not-started", message: expect.stringContaining("no-such-program") });
    expect(command.write("x")).toBe("closed");
    expect(await command.output.changed(0, abort)).toBe(false);
  });

  test("that floods the output with 200 MB is kept in bounded memory", { timeout: 60_000 }, async () => {
    const before = process.memoryUsage.rss();
    let highest = 0;
    const command = await start("head -c 200000000 /dev/zero | tr '\\0' x; echo END", { maxOutputBytes: 1_000 });
    while (await command.output.changed(command.output.length, abort)) highest = Math.max(highest, process.memoryUsage.rss());
    const { outputBytes, output } = await command.ended;
    expect(outputBytes).toBe(200_000_004);
    expect(Buffer.byteLength(output)).toBeLessThan(1_100);
    const { text, next } = command.output.read(0, 10_000_000);
    expect(next).toBe(200_000_004);
    expect(text.length).toBe(256 * 1024);
    expect(text.endsWith("xEND\n")).toBe(true);
    expect(highest - before).toBeLessThan(150 * 1024 ** 2);
  });
});

describe.runIf(process.platform === "linux")("a command in a terminal", () => {
  test("has one of the given size and type", async () => {
    const command = await start("test -t 0 && test -t 1 && test -t 2 && stty size && echo $TERM $SHELL", { input: TERMINAL });
    expect(await command.ended).toMatchObject({
      end: { type: "exited", exitCode: 0 },
      output: "30 100\r\nxterm-256color /no/such/shell\r\n",
    });
  });

  test("gets keys, and its exit code is reported", async () => {
    const command = await start("trap 'echo stopped; exit 7' INT; read -rsn1 key; echo key: $key; while :; do sleep 0.05; done", {
      input: TERMINAL,
    });
    command.write("y");
    await until(command, /key: y/);
    command.write("\u0003");
    expect((await command.ended).end).toEqual({ type: "exited", exitCode: 7 });
    expect(command.output.read(0, 1_000).text).toContain("stopped");
  });

  test("sees the end of its input as Ctrl-D", async () => {
    const command = await start("cat; echo bye", { input: TERMINAL });
    command.write("hello\n");
    await until(command, /hello\r\n/);
    expect(command.closeInput()).toBe("written");
    expect((await command.ended).end).toEqual({ type: "exited", exitCode: 0 });
    expect(command.output.read(0, 1_000).text).toMatch(/bye\r\n$/);
  });

  test("may be a program with arguments that no shell may read", async () => {
    const args = ["%s|", "it's", "$HOME", "a\nb", "*"];
    const command = await start("", { command: { type: "argv", file: "printf", args }, input: TERMINAL });
    expect((await command.ended).output).toBe("it's|$HOME|a\r\nb|*|");
  });

  test("is ended with its children, even if they ignore TERM", async () => {
    const mark = `mark-${randomUUID()}`;
    const command = await start(
      `trap '' TERM HUP; (trap '' TERM HUP; exec -a ${mark} sleep 1000) & echo ready; while :; do sleep 1000; done`,
      {
        input: TERMINAL,
      },
    );
    await until(command, /ready/);
    command.kill();
    expect((await command.ended).end).toEqual({ type: "aborted" });
    expect(processesWith(mark)).toEqual([]);
  });

  test("needs the program that makes terminals", async () => {
    const command = await start("true", { input: TERMINAL, env: { PATH: folder } });
    expect((await command.ended).end).toMatchObject({ type: "not-started", message: expect.stringContaining("bsdutils") });
  });
});

test("many starts and kills leave no process", { timeout: 60_000 }, async () => {
  const mark = `mark-${randomUUID()}`;
  const rounds = Number(process.env["FACTOTUM_COMMAND_STARTS"] ?? 40);
  for (let done = 0; done < rounds; done += 4) {
    const commands = await Promise.all(
      [0, 1, 2, 3].map((number) =>
        start(`(exec -a ${mark} sleep 1000) & exec -a ${mark} sleep 1000`, { input: { type: number % 2 === 0 ? "pipe" : "none" } }),
      ),
    );
    for (const command of commands) command.kill();
    await Promise.all(commands.map(({ ended }) => ended));
  }
  expect(processesWith(mark)).toEqual([]);
});
