import { spawn } from "node:child_process";
import { setTimeout as delay } from "node:timers";
import { fileURLToPath } from "node:url";
import type { AgentToolResult, Clock, CommandRunner, JsonObject, Logger, RunFacts } from "@factotum/agent-contract";
import { PluginHost, type InstalledPlugin, type PluginHostOptions } from "../src/index.ts";
import { memoryRows } from "./plugins.ts";

/** A clock whose long timers can be run at once. */
export class TestClock implements Clock {
  readonly #timers = new Set<{ readonly atMs: number; readonly callback: () => void }>();
  #aheadMs = 0;

  now(): number {
    return Date.now() + this.#aheadMs;
  }

  monotonic(): number {
    return performance.now() + this.#aheadMs;
  }

  schedule(delayMs: number, callback: () => void): Disposable {
    const timer = { atMs: this.monotonic() + delayMs, callback };
    this.#timers.add(timer);
    const real = delay(() => {
      if (this.#timers.delete(timer)) callback();
    }, delayMs);
    real.unref();
    return {
      [Symbol.dispose]: () => {
        this.#timers.delete(timer);
        clearTimeout(real);
      },
    };
  }

  /** Moves on, and runs what is due then. */
  advance(ms: number): void {
    this.#aheadMs += ms;
    for (const timer of this.#timers) {
      if (timer.atMs > this.monotonic() || !this.#timers.delete(timer)) continue;
      timer.callback();
    }
  }
}

/** What the host has logged. */
export interface LoggedLine {
  readonly level: string;
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** A host over real processes. */
export interface TestHost extends AsyncDisposable {
  readonly host: PluginHost;
  readonly clock: TestClock;
  readonly lines: readonly LoggedLine[];
  /** Process ids of all processes that were started and have not ended. */
  readonly running: ReadonlySet<number>;
  /** Calls a tool of a plugin as a model would; by default its first. */
  call(
    id: string,
    args?: JsonObject,
    options?: { readonly tool?: string; readonly owner?: boolean; readonly signal?: AbortSignal },
  ): Promise<AgentToolResult>;
}

export function startHost(plugins: readonly InstalledPlugin[], parts: Partial<PluginHostOptions> = {}): TestHost {
  const clock = new TestClock();
  const lines: LoggedLine[] = [];
  const running = new Set<number>();
  const log =
    (level: string): Logger["info"] =>
    (message, fields = {}) =>
      void lines.push({ level, message, fields });
  const logger: Logger = { debug: log("debug"), info: log("info"), warn: log("warn"), error: log("error"), child: () => logger };
  const host = new PluginHost({
    runner: plainRunner(running),
    whyNoPrograms: async () => "this is a test",
    node: process.execPath,
    program: fileURLToPath(new URL("../src/child/plugin-program.ts", import.meta.url)),
    clock,
    logger,
    rowsOf: () => memoryRows(),
    fetch: async () => {
      throw new Error("no network in this test");
    },
    readSecret: async () => undefined,
    hideSecrets: (text) => text,
    ...parts,
  });
  host.apply(plugins);
  const call: TestHost["call"] = async (id, args = {}, { tool: name, owner = true, signal = new AbortController().signal } = {}) => {
    const tools = host.sources().find((source) => source.id === `plugin:${id}`)?.tools;
    const tool = tools?.find((one) => name === undefined || one.name === `${id}_${name}`);
    if (tool === undefined) throw new Error(`no tool of ${id}`);
    const run = { ...RUN, owner };
    return tool.execute({ id: "call-1", name: tool.name, arguments: args }, { signal, run, tainted: false, onDelta: () => undefined });
  };
  return { host, clock, lines, running, call, [Symbol.asyncDispose]: async () => host.close() };
}

const RUN: RunFacts = {
  runId: "run-1",
  kind: "user",
  agentId: "main",
  sessionKey: "agent:main:main",
  sessionId: "session-1",
  workspace: "/",
  owner: true,
  timeZone: "UTC",
};

/** The text of a result. */
export function textOf({ content }: AgentToolResult): string {
  return content.map((part) => (part.type === "text" ? part.text : "")).join("");
}

/** Runs commands as plain processes; the product's runner is in another package. */
function plainRunner(running: Set<number>): CommandRunner {
  const start: CommandRunner["start"] = async ({ command, cwd, env }) => {
    if (command.type !== "argv") throw new Error("a shell");
    const child = spawn(command.file, command.args, { cwd, env: { ...env }, stdio: ["pipe", "pipe", "pipe"], detached: true });
    const id = child.pid ?? 0;
    running.add(id);
    child.stdin.on("error", () => undefined);
    let [text, wake] = ["", Promise.withResolvers<void>()];
    let isOver = false;
    const signal = (): void => {
      wake.resolve();
      wake = Promise.withResolvers<void>();
    };
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8");
      stream.on("data", (chunk: string) => {
        text += chunk;
        signal();
      });
    }
    const ended = new Promise<Awaited<ReturnType<CommandRunner["run"]>>>((resolve) =>
      child.once("close", (exitCode, by) => {
        running.delete(id);
        isOver = true;
        signal();
        const end = by === null ? ({ type: "exited", exitCode: exitCode ?? 0 } as const) : ({ type: "signalled", signal: by } as const);
        resolve({ end, output: "", outputBytes: 0, durationMs: 0 });
      }),
    );
    return {
      ended,
      output: {
        get length(): number {
          return text.length;
        },
        read: (offset, maxBytes) => {
          const part = text.slice(offset, offset + maxBytes);
          return { text: part, offset, next: offset + part.length };
        },
        changed: async (length) => {
          while (text.length <= length && !isOver) await wake.promise;
          return text.length > length;
        },
      },
      write: (line) => (child.stdin.writable ? (child.stdin.write(line), "written") : "closed"),
      closeInput: () => (child.stdin.end(), "written"),
      kill: () => {
        if (!isOver) process.kill(-id, "SIGKILL");
      },
    };
  };
  return { start, run: async (request, options) => (await start(request, options)).ended };
}
