import { spawn, type ChildProcessByStdio } from "node:child_process";
import { access, constants, stat } from "node:fs/promises";
import type { Readable } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import type { Clock, CommandRequest, CommandResult, CommandRunner, Logger, Random } from "@factotum/agent-contract";
import type { CommandCgroup, CommandCgroups } from "../cgroup/command-cgroups.ts";
import type { CommandLimits, Excess } from "../limits/command-limits.ts";
import { LimitWatch } from "../limits/limit-watch.ts";
import { CappedOutput, NO_REDACTION } from "../output/capped-output.ts";
import type { OutputRedactor } from "../output/capped-output.ts";
import { CHILD_VARIABLE, endFamily, familyGone } from "./child-family.ts";
import type { ChildIdentity } from "./child-family.ts";
import { MARKED_START, markerOf } from "./child-marker.ts";
import { ChildRecords } from "./child-records.ts";
import { hostEnvironment } from "./host-environment.ts";
import { startOf } from "./process-table.ts";

/** Options of the runner. */
export interface HostRunnerOptions {
  readonly clock: Clock;
  readonly random: Pick<Random, "uuid">;
  readonly logger: Pick<Logger, "warn">;
  /** Folder for records of running commands; absolute, used by this runner alone, created on demand. */
  readonly recordFolder: string;
  /** The gateway's environment; a command gets PATH, HOME, LANG, TERM, TMPDIR, USER, SHELL, TZ, FACTOTUM_HOME and FACTOTUM_CONFIG of it, nothing else. */
  readonly baseEnv: Readonly<Record<string, string | undefined>>;
  /** Limits for all running commands together, read at each start and each measurement. */
  readonly limits: () => CommandLimits;
  /** If present, the kernel limits memory; commands outside of cgroups are measured on a timer. */
  readonly cgroups?: CommandCgroups | undefined;
  /** Redacts secrets in output before it is cut; without it output is unchanged. */
  readonly redactor?: OutputRedactor;
  /** Milliseconds between TERM and KILL. Default 2,000. */
  readonly killGraceMs?: number;
  /** Milliseconds that a command's background children may outlive it and keep its output open. Default 250. */
  readonly lingerMs?: number;
}

type Run = Parameters<CommandRunner["run"]>[1];
const KILL_GRACE_MS = 2_000;

type Child = ChildProcessByStdio<null, Readable, Readable>;
type Exit = { readonly exitCode: number | null; readonly signal: NodeJS.Signals | null };
type Stop = { readonly type: "timed-out" } | { readonly type: "aborted" } | OverLimit;
type OverLimit = Excess & { readonly type: "over-limit" };

/** A runner of commands, with the operations of the whole process. */
export interface HostRunner extends CommandRunner {
  /** `cgroup`: the kernel limits the memory of every command that has a cgroup. `measuring`: the memory of all commands is measured on a timer. */
  readonly limitsKeptBy: "cgroup" | "measuring";
  /**
   * Ends what a killed gateway left running. Call it before any command is run, from the only process that uses the folder of records. Resolves with how many
   * commands had processes left; `survivors` of them could not be ended and are tried again next time.
   */
  endOrphans(): Promise<{ readonly ended: number; readonly survivors: number }>;
  /** Ends all commands and resolves once none runs. From then on every command is aborted before it starts. */
  close(): Promise<void>;
}

/**
 * Runs commands as processes of this machine, with the rights of the gateway's user.
 *
 * Each command leads its own process group; however it ends, everything that belongs to it is ended with it: TERM, a grace period, KILL. On Linux that includes
 * processes that have left the group. Standard input is empty. Running commands are recorded, so that the next start finds what a killed gateway left. Shell
 * text runs under bash if available, else under `sh`, with standard error joined to standard output so that the order is exact.
 */
export function createHostRunner(options: HostRunnerOptions): HostRunner {
  const { clock, logger, killGraceMs = KILL_GRACE_MS } = options;
  const records = new ChildRecords(options.recordFolder);
  const closing = new AbortController();
  const running = new Set<Promise<CommandResult>>();
  const watch = new LimitWatch({ clock, logger, limits: options.limits });
  return {
    limitsKeptBy: options.cgroups === undefined ? "measuring" : "cgroup",
    async run(request, run) {
      const signal = AbortSignal.any([run.signal, closing.signal]);
      const done = runCommand(request, { ...run, signal }, options, { records, logger, watch });
      running.add(done);
      try {
        return await done;
      } finally {
        running.delete(done);
      }
    },
    async endOrphans() {
      const orphans = await records.list();
      const outcomes = await Promise.all(
        orphans.map(async (orphan) => {
          const wasGone = await familyGone(orphan, clock, 0);
          if (!wasGone && !(await endFamily(orphan, { clock, graceMs: killGraceMs }))) return "survives";
          await records.remove(orphan.id);
          return wasGone ? "gone" : "ended";
        }),
      );
      return {
        ended: outcomes.filter((outcome) => outcome === "ended").length,
        survivors: outcomes.filter((outcome) => outcome === "survives").length,
      };
    },
    async close() {
      closing.abort();
      await Promise.all(running);
      await options.cgroups?.close();
    },
  };
}

async function runCommand(request: CommandRequest, run: Run, options: HostRunnerOptions, books: Books): Promise<CommandResult> {
  const { clock, random, baseEnv, redactor = NO_REDACTION, killGraceMs = KILL_GRACE_MS, lingerMs = 250 } = options;
  const startedMs = clock.monotonic();
  const output = new CappedOutput(request.maxOutputBytes, redactor);
  const live = liveOutput(run.onOutput, request.maxOutputBytes, redactor);
  let outputBytes = 0;
  const settle = (end: CommandResult["end"]): CommandResult => ({
    end,
    output: output.toString(),
    outputBytes,
    durationMs: Math.round(clock.monotonic() - startedMs),
  });

  if (run.signal.aborted) return settle({ type: "aborted" });
  const id = random.uuid();
  const cgroup = await enterableCgroup(id, options);
  const { file, args } = await commandLine(request.command, markerOf(id), cgroup);
  const env = { ...hostEnvironment(baseEnv, request.env), [CHILD_VARIABLE]: id };
  const started = await startAnnounced(id, file, args, { cwd: request.cwd, env, books });
  if (started.type === "not-started") {
    await cgroup?.remove();
    return settle(started);
  }
  const { child, exited, closed } = started;

  const flush = [child.stdout, child.stderr].map((stream) =>
    collect(stream, (text, bytes) => {
      outputBytes += bytes;
      output.append(text);
      live.push(text);
    }),
  );
  const over = Promise.withResolvers<OverLimit>();
  const ending = untilExitOrStop(exited, request.timeoutMs, { clock, signal: run.signal, over: over.promise });
  const identity = { ...(await recordStart(id, started.processId, books)), cgroup };
  const watched = books.watch.add(identity, (excess) => over.resolve({ type: "over-limit", ...excess }));
  const stopped = await ending;
  watched[Symbol.dispose]();
  if (stopped === undefined) await Promise.all([within(closed, clock, lingerMs), familyGone(identity, clock, lingerMs)]);
  // Searched twice even if nothing was found: a process that forks and exits during the search is missed. The record of a process that cannot be ended stays:
  // the next start tries again.
  const graceMs = stopped?.type === "over-limit" ? 0 : killGraceMs;
  if (await endFamily(identity, { clock, graceMs })) await forget(id, books);
  // A process that was not found may still hold the pipes; do not wait for it.
  await within(closed, clock, lingerMs);
  child.stdout.destroy();
  child.stderr.destroy();
  for (const rest of flush) rest();
  live.flush();
  const end = stopped ?? (await outOfMemory(cgroup, options)) ?? toEnd(await exited);
  await cgroup?.remove();
  return settle(end);
}

/** The cgroup for a new command. Without one, or if the command does not enter it, it is measured. */
async function enterableCgroup(id: string, { cgroups, limits, logger }: HostRunnerOptions): Promise<CommandCgroup | undefined> {
  try {
    return await cgroups?.create(id, limits());
  } catch (error) {
    logger.warn("A command runs outside of a cgroup, because none could be made for it", { id, error });
    return undefined;
  }
}

async function outOfMemory(cgroup: CommandCgroup | undefined, { limits }: HostRunnerOptions): Promise<OverLimit | undefined> {
  if ((await cgroup?.wasOutOfMemory()) !== true) return undefined;
  const { maxMemoryBytes: allowed } = limits();
  return { type: "over-limit", limit: "memory", used: allowed, allowed };
}

/** A program that is run without a shell gets no marker and no cgroup: its start must show whether it exists. */
async function commandLine(
  command: CommandRequest["command"],
  marker: string,
  cgroup: CommandCgroup | undefined,
): Promise<{ file: string; args: readonly string[] }> {
  if (command.type === "argv") return command;
  const shell = await access("/bin/bash", constants.X_OK).then(
    () => "/bin/bash",
    () => "/bin/sh",
  );
  return { file: "/bin/sh", args: ["-c", MARKED_START, "sh", marker, cgroup?.folder ?? "", shell, "-c", command.text] };
}

type Started =
  | {
      readonly type: "started";
      readonly child: Child;
      readonly processId: number;
      readonly exited: Promise<Exit>;
      readonly closed: Promise<void>;
    }
  | { readonly type: "not-started"; readonly message: string };

interface Place {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly books: Books;
}

/** The records, the measurement, and the logger of failures. */
interface Books {
  readonly records: ChildRecords;
  readonly logger: HostRunnerOptions["logger"];
  readonly watch: LimitWatch;
}

async function forget(id: string, { records, logger }: Books): Promise<void> {
  try {
    await records.remove(id);
  } catch (error) {
    logger.warn("The record of a command that has ended could not be removed; the next start looks for it in vain", { id, error });
  }
}

/** Records that a command will run, and starts it. */
async function startAnnounced(id: string, file: string, args: readonly string[], place: Place): Promise<Started> {
  try {
    await place.books.records.announce(id);
  } catch (error) {
    const why = error instanceof Error ? error.message : "unknown reason";
    return { type: "not-started", message: `The command was not started, because what runs must be written down first: ${why}` };
  }
  const started = await start(file, args, place);
  if (started.type === "not-started") await forget(id, place.books);
  return started;
}

/** Records which process a command is. */
async function recordStart(id: string, processId: number, { records, logger }: Books): Promise<ChildIdentity> {
  let start: string | undefined;
  try {
    start = await startOf(processId);
    await records.started(id, { processId, start });
  } catch (error) {
    // It runs by now, and on Linux its variable is enough to find it again.
    logger.warn("It could not be written down which process a command is", { id, error });
  }
  return { id, leader: { processId, start }, own: true };
}

/** Spawns the program and waits until it runs or has failed to start. */
async function start(file: string, args: readonly string[], { cwd, env }: Place): Promise<Started> {
  let child: Child;
  try {
    child = spawn(file, args, { cwd, env, detached: true, stdio: ["ignore", "pipe", "pipe"], windowsHide: true });
  } catch (error) {
    return { type: "not-started", message: await whyNotStarted(error, file, cwd) };
  }
  const exited = new Promise<Exit>((resolve) => child.once("exit", (exitCode, signal) => resolve({ exitCode, signal })));
  const closed = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const failure = await new Promise<Error | undefined>((resolve) => {
    child.once("spawn", () => resolve(undefined));
    child.on("error", resolve);
  });
  if (failure !== undefined) return { type: "not-started", message: await whyNotStarted(failure, file, cwd) };
  if (child.pid === undefined) return { type: "not-started", message: `${file} started without a process id.` };
  return { type: "started", child, processId: child.pid, exited, closed };
}

/** Node reports a missing folder as a missing program; the error must say which of the two it is. */
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

/** Passes decoded text on as it arrives; the returned function flushes an unfinished character. */
function collect(stream: Readable, take: (text: string, bytes: number) => void): () => void {
  const decoder = new StringDecoder("utf8");
  stream.on("data", (chunk: Buffer) => take(decoder.write(chunk), chunk.length));
  // A broken pipe ends the output; the exit status says how the command ended.
  stream.on("error", () => stream.destroy());
  return () => take(decoder.end(), 0);
}

/** Passes redacted output on until it exceeds `maxChars`: redacting a flood is wasted work. */
function liveOutput(onOutput: (text: string) => void, maxChars: number, redactor: OutputRedactor): ReturnType<OutputRedactor["stream"]> {
  let chars = 0;
  const stream = redactor.stream((text) => {
    chars += text.length;
    if (text !== "") onOutput(text);
  });
  const ifOpen = (next: () => void): void => (chars > maxChars ? undefined : next());
  return { push: (text) => ifOpen(() => stream.push(text)), flush: () => ifOpen(stream.flush) };
}

/** Resolves with the external reason for ending the command, or undefined if it ended by itself. */
function untilExitOrStop(
  exited: Promise<Exit>,
  timeoutMs: number,
  options: { readonly clock: Clock; readonly signal: Run["signal"]; readonly over: Promise<OverLimit> },
): Promise<Stop | undefined> {
  return new Promise((resolve) => {
    const onAbort = (): void => settle({ type: "aborted" });
    const timer = options.clock.schedule(timeoutMs, () => settle({ type: "timed-out" }));
    const settle = (stop: Stop | undefined): void => {
      timer[Symbol.dispose]();
      options.signal.removeEventListener("abort", onAbort);
      resolve(stop);
    };
    options.signal.addEventListener("abort", onAbort, { once: true });
    if (options.signal.aborted) onAbort();
    void options.over.then(settle);
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
