import { spawn, type ChildProcessByStdio } from "node:child_process";
import { mkdtemp, readFile, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { statePaths } from "@factotum/config";
import { noonZone, productEntry } from "@factotum/testing-product";
import { withoutUndefined } from "@factotum/agent-contract";
import type { CliContext } from "../src/runtime/cli-context.ts";
import { runCli } from "../src/cli/run-cli.ts";

/** Keeps tests of commands away from midnight. */
const ZONE = noonZone(Date.now());

/** The arguments of Node for the program: the sources, or in CI the product that was built before, which starts with less than half of the CPU time. */
const PROGRAM =
  process.env["CI"] === undefined
    ? ["--conditions=factotum-source", fileURLToPath(new URL("../src/factotum.ts", import.meta.url))]
    : [productEntry];

/** Compile cache of all child processes: without it each strips the types of hundreds of files, which takes most of a second of CPU time. */
const COMPILED = fileURLToPath(new URL("../../../node_modules/.factotum/compiled", import.meta.url));

/** The exit code and output of a command. */
export interface CliResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A running command. */
export interface RunningCli {
  readonly child: ChildProcessByStdio<null, Readable, Readable>;
  readonly ended: Promise<CliResult>;
  /** Resolves with the match once standard output contains it; rejects if the command ends before. */
  waitFor(pattern: RegExp): Promise<RegExpExecArray>;
}

/** A fresh state directory with commands over it; disposing it ends everything that it started. */
export class CliHome implements AsyncDisposable {
  readonly home: string;
  env: Record<string, string>;
  readonly #running = new Set<RunningCli>();

  private constructor(home: string) {
    this.home = home;
    this.env = {
      PATH: process.env["PATH"] ?? "",
      TZ: ZONE,
      HOME: home,
      FACTOTUM_HOME: join(home, "state directory"),
      // An unused address: no model of this machine may be used in a test.
      OLLAMA_HOST: "http://127.0.0.1:9",
      NODE_COMPILE_CACHE: COMPILED,
    };
  }

  static async create(): Promise<CliHome> {
    return new CliHome(await realpath(await mkdtemp(join(tmpdir(), "factotum-cli-"))));
  }

  get factotumHome(): string {
    return this.env["FACTOTUM_HOME"] ?? "";
  }

  /** Runs a command in this process. */
  async run(...args: readonly string[]): Promise<CliResult> {
    return this.runAsked(undefined, ...args);
  }

  /** The same with a person at the terminal who answers. */
  async runAsked(confirm: CliContext["confirm"], ...args: readonly string[]): Promise<CliResult> {
    return this.runWith(withoutUndefined({ confirm }), ...args);
  }

  /** The same with more of a process: a terminal's questions, standard input. */
  async runWith(more: Partial<CliContext>, ...args: readonly string[]): Promise<CliResult> {
    let stdout = "";
    let stderr = "";
    const context: CliContext = {
      env: this.env,
      paths: statePaths(this.env),
      version: "0.0.0-test",
      self: { file: process.execPath, args: PROGRAM },
      platform: "linux",
      knownExtensions: {},
      print: (text) => void (stdout += text),
      note: (text) => void (stderr += text),
      signal: new AbortController().signal,
      ...more,
    };
    return { code: await runCli(args, context), stdout, stderr };
  }

  /** Starts a command as a separate process. */
  spawn(...args: readonly string[]): RunningCli {
    return this.spawnNode([], args);
  }

  /** The same with more flags for Node. */
  spawnNode(flags: readonly string[], args: readonly string[]): RunningCli {
    const child = spawn(process.execPath, [...flags, ...PROGRAM, ...args], {
      env: this.env,
      stdio: ["ignore", "pipe", "pipe"],
    });
    const running = watch(child);
    this.#running.add(running);
    void running.ended.then(() => this.#running.delete(running));
    return running;
  }

  /** Runs a command as a separate process to completion. */
  async process(...args: readonly string[]): Promise<CliResult> {
    return this.spawn(...args).ended;
  }

  async read(name: string): Promise<string> {
    return readFile(join(this.factotumHome, name), "utf8");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { child } of this.#running) child.kill("SIGKILL");
    await Promise.all([...this.#running].map(({ ended }) => ended));
    await rm(this.home, { recursive: true, force: true });
  }
}

function watch(child: ChildProcessByStdio<null, Readable, Readable>): RunningCli {
  let stdout = "";
  let stderr = "";
  const waiting = new Set<() => void>();
  const wake = (): void => {
    for (const look of waiting) look();
  };
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
    wake();
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => void (stderr += text));
  const ended = new Promise<CliResult>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, stdout, stderr }));
  });
  return {
    child,
    ended,
    waitFor: (pattern) => {
      const { promise, resolve, reject } = Promise.withResolvers<RegExpExecArray>();
      const look = (): void => {
        const match = pattern.exec(stdout);
        if (match !== null) resolve(match);
      };
      waiting.add(look);
      look();
      void ended.then(() => reject(new Error(`it ended before ${String(pattern)}:\n${stdout}\n${stderr}`)));
      return promise.finally(() => waiting.delete(look));
    },
  };
}
