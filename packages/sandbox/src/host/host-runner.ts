import { spawn, type ChildProcessByStdio } from "node:child_process";
import { access, constants, stat } from "node:fs/promises";
import type { Readable } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import type { Clock, CommandRequest, CommandResult, CommandRunner } from "@factotum/agent-contract";
import { CappedOutput } from "../output/capped-output.ts";
import { hostEnvironment } from "./host-environment.ts";
import { endGroup, groupGone } from "./process-group.ts";

/** What the runner needs from its host. */
export interface HostRunnerOptions {
  readonly clock: Clock;
  /** The gateway's environment; a command gets PATH, HOME, LANG, TERM, TMPDIR, USER, SHELL and TZ of it, nothing else. */
  readonly baseEnv: Readonly<Record<string, string | undefined>>;
  /** Milliseconds between TERM and KILL. Default 2,000. */
  readonly killGraceMs?: number;
  /** Milliseconds that a command's background children may outlive it and keep its output open. Default 250. */
  readonly lingerMs?: number;
}

type Run = Parameters<CommandRunner["run"]>[1];
type Child = ChildProcessByStdio<null, Readable, Readable>;
type Exit = { readonly exitCode: number | null; readonly signal: NodeJS.Signals | null };
type Stop = "timed-out" | "aborted";

/**
 * Runs commands as processes of this machine, with the rights of the gateway's user.
 *
 * Each command leads its own process group; whatever way it ends, the group is ended with it: TERM, a grace, KILL. Standard input is empty.
 * Shell text runs under bash where there is one, else under `sh`, with standard error joined to standard output so that the order is exact.
 */
export function createHostRunner(options: HostRunnerOptions): CommandRunner {
  const { clock, baseEnv, killGraceMs = 2_000, lingerMs = 250 } = options;
  return {
    async run(request, run) {
      const startedMs = clock.monotonic();
      const output = new CappedOutput(request.maxOutputBytes);
      let outputBytes = 0;
      const settle = (end: CommandResult["end"]): CommandResult => ({
        end,
        output: output.toString(),
        outputBytes,
        durationMs: Math.round(clock.monotonic() - startedMs),
      });

      const { file, args } = await commandLine(request.command);
      if (run.signal.aborted) return settle({ type: "aborted" });
      const started = await start(file, args, { cwd: request.cwd, env: hostEnvironment(baseEnv, request.env) });
      if (started.type === "not-started") return settle(started);
      const { child, groupId, exited, closed } = started;

      const flush = [child.stdout, child.stderr].map((stream) =>
        collect(stream, (text, bytes) => {
          outputBytes += bytes;
          output.append(text);
          if (text !== "") run.onOutput(text);
        }),
      );
      const stopped = await untilExitOrStop(exited, request.timeoutMs, { clock, signal: run.signal });
      if (stopped === undefined) await Promise.all([within(closed, clock, lingerMs), groupGone(groupId, clock, lingerMs)]);
      await endGroup(groupId, { clock, graceMs: killGraceMs });
      // A process that left the group may still hold the pipes; it must not hold us.
      await within(closed, clock, lingerMs);
      child.stdout.destroy();
      child.stderr.destroy();
      for (const rest of flush) rest();
      return settle(stopped === undefined ? toEnd(await exited) : { type: stopped });
    },
  };
}

async function commandLine(command: CommandRequest["command"]): Promise<{ file: string; args: readonly string[] }> {
  if (command.type === "argv") return command;
  const shell = await access("/bin/bash", constants.X_OK).then(
    () => "/bin/bash",
    () => "/bin/sh",
  );
  return { file: "/bin/sh", args: ["-c", 'exec "$@" 2>&1', "sh", shell, "-c", command.text] };
}

type Started =
  | {
      readonly type: "started";
      readonly child: Child;
      readonly groupId: number;
      readonly exited: Promise<Exit>;
      readonly closed: Promise<void>;
    }
  | { readonly type: "not-started"; readonly message: string };

/** Spawns and waits until it is known whether the program runs. */
async function start(file: string, args: readonly string[], where: { cwd: string; env: Record<string, string> }): Promise<Started> {
  let child: Child;
  try {
    child = spawn(file, args, { ...where, detached: true, stdio: ["ignore", "pipe", "pipe"], windowsHide: true });
  } catch (error) {
    return { type: "not-started", message: await whyNotStarted(error, file, where.cwd) };
  }
  const exited = new Promise<Exit>((resolve) => child.once("exit", (exitCode, signal) => resolve({ exitCode, signal })));
  const closed = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const failure = await new Promise<Error | undefined>((resolve) => {
    child.once("spawn", () => resolve(undefined));
    child.on("error", resolve);
  });
  if (failure !== undefined) return { type: "not-started", message: await whyNotStarted(failure, file, where.cwd) };
  if (child.pid === undefined) return { type: "not-started", message: `${file} started without a process id.` };
  return { type: "started", child, groupId: child.pid, exited, closed };
}

/** Node reports a missing folder as a missing program; people need to know which of the two it is. */
async function whyNotStarted(error: unknown, file: string, cwd: string): Promise<string> {
  const folder = await stat(cwd).catch(() => undefined);
  if (folder === undefined) return `The working folder does not exist: ${cwd}`;
  if (!folder.isDirectory()) return `The working folder is not a folder: ${cwd}`;
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  switch (code) {
    case "ENOENT":
      return `There is no program ${file} on the PATH.`;
    case "EACCES":
      return `No permission to run ${file} in ${cwd}.`;
    case "E2BIG":
      return "The command line is too long for this system; put the text into a file.";
    case "ERR_INVALID_ARG_VALUE":
      return "The command holds a NUL character.";
    default:
      return `${file} could not be started: ${error instanceof Error ? error.message : "unknown reason"}`;
  }
}

/** Feeds decoded text on as it arrives; the returned function hands over what an unfinished character left behind. */
function collect(stream: Readable, take: (text: string, bytes: number) => void): () => void {
  const decoder = new StringDecoder("utf8");
  stream.on("data", (chunk: Buffer) => take(decoder.write(chunk), chunk.length));
  // A broken pipe ends the output; how the command ended is told by its exit.
  stream.on("error", () => stream.destroy());
  return () => take(decoder.end(), 0);
}

/** Resolves with what stopped the command from outside, or undefined when it ended by itself. */
function untilExitOrStop(
  exited: Promise<Exit>,
  timeoutMs: number,
  options: { readonly clock: Clock; readonly signal: Run["signal"] },
): Promise<Stop | undefined> {
  return new Promise((resolve) => {
    const onAbort = (): void => settle("aborted");
    const timer = options.clock.schedule(timeoutMs, () => settle("timed-out"));
    const settle = (stop: Stop | undefined): void => {
      timer[Symbol.dispose]();
      options.signal.removeEventListener("abort", onAbort);
      resolve(stop);
    };
    options.signal.addEventListener("abort", onAbort, { once: true });
    if (options.signal.aborted) settle("aborted");
    void exited.then(() => settle(undefined));
  });
}

/** Resolves with the promise, or after `maxWaitMs` without it. */
function within(promise: Promise<void>, clock: Clock, maxWaitMs: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = clock.schedule(maxWaitMs, resolve);
    void promise.then(() => {
      timer[Symbol.dispose]();
      resolve();
    });
  });
}

function toEnd(exit: Exit): CommandResult["end"] {
  if (exit.signal !== null) return { type: "signalled", signal: exit.signal };
  return { type: "exited", exitCode: exit.exitCode ?? 0 };
}
