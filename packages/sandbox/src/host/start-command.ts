import { Buffer } from "node:buffer";
import { spawn, type ChildProcess } from "node:child_process";
import { stat } from "node:fs/promises";
import type { Readable, Writable } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import type { CommandOptions, CommandRequest, CommandResult, RunningCommand } from "@factotum/agent-contract";
import type { CommandCgroup } from "../cgroup/command-cgroups.ts";
import type { Excess } from "../limits/command-limits.ts";
import type { LimitWatch } from "../limits/limit-watch.ts";
import { CappedOutput, NO_REDACTION } from "../output/capped-output.ts";
import { OutputRing } from "../output/output-ring.ts";
import { CHILD_VARIABLE, endFamily, familyGone } from "./child-family.ts";
import type { ChildIdentity } from "./child-family.ts";
import { MARKED_START, markerOf } from "./child-marker.ts";
import type { ChildRecords } from "./child-records.ts";
import { CommandInput } from "./command-input.ts";
import { hostEnvironment } from "./host-environment.ts";
import type { HostRunnerOptions } from "./host-runner-options.ts";
import { shellWords } from "./shell-words.ts";
import { startOf } from "./process-table.ts";
import { TERMINAL_TYPE, terminalWords } from "./terminal-words.ts";
import { untilExitOrStop, within } from "./until-end.ts";
import type { Exit, OverLimit, Stop } from "./until-end.ts";

/** Default milliseconds between TERM and KILL. */
export const KILL_GRACE_MS = 2_000;

/** Retained output of a command that has ended. */
const ENDED_RING_BYTES = 256 * 1024;

/** Output after which nothing comes for this long is shown, even if it could be the beginning of a secret: it may be a question that waits for an answer. */
const QUIET_MS = 300;

interface Child {
  readonly stdin: Writable | null;
  readonly outputs: readonly Readable[];
}

/** Starts a command, and follows it to its end. Never rejects. */
export async function startCommand(
  request: CommandRequest,
  run: CommandOptions,
  options: HostRunnerOptions,
  books: Books,
): Promise<RunningCommand> {
  const { clock, random, baseEnv } = options;
  const startedMs = clock.monotonic();
  const collected = collectOutput(request, run, options, books);
  const settle = (end: CommandResult["end"]): CommandResult => ({
    end,
    ...collected.result(),
    durationMs: Math.round(clock.monotonic() - startedMs),
  });
  const notStarted = (end: CommandResult["end"]): RunningCommand => {
    collected.ring.end(0);
    const closed = (): "closed" => "closed";
    return { ended: Promise.resolve(settle(end)), output: collected.ring, write: closed, closeInput: closed, kill: () => undefined };
  };

  if (run.signal.aborted) return notStarted({ type: "aborted" });
  const id = random.uuid();
  const cgroup = await enterableCgroup(id, options);
  const added = request.input?.type === "terminal" ? { TERM: TERMINAL_TYPE, ...request.env } : request.env;
  const env = { ...hostEnvironment(baseEnv, added), [CHILD_VARIABLE]: id };
  const line = await commandLine(request, { marker: markerOf(id), cgroup, env });
  const started =
    line.type === "missing"
      ? ({ type: "not-started", message: line.message } as const)
      : await startAnnounced(id, line, { cwd: request.cwd, env, hasInput: hasInput(request), books });
  if (started.type === "not-started") {
    await cgroup?.remove();
    return notStarted(started);
  }
  const { child } = started;
  const killed = new AbortController();
  const signal = AbortSignal.any([run.signal, killed.signal]);
  const input = new CommandInput(child.stdin, { isTerminal: request.input?.type === "terminal" });
  const ended = followCommand({ id, started, cgroup, request, signal, collected }, options, books).then((end) => {
    input.close();
    return settle(end);
  });
  return {
    ended,
    output: collected.ring,
    write: (text) => input.write(text),
    closeInput: () => input.end(),
    kill: () => killed.abort(),
  };
}

interface Followed {
  readonly id: string;
  readonly started: Extract<Started, { type: "started" }>;
  readonly cgroup: CommandCgroup | undefined;
  readonly request: CommandRequest;
  readonly signal: AbortSignal;
  readonly collected: CollectedOutput;
}

/** Waits for the end of a started command, ends everything that is left of it, and says how it ended. */
async function followCommand(
  { id, started, cgroup, request, signal, collected }: Followed,
  options: HostRunnerOptions,
  books: Books,
): Promise<CommandResult["end"]> {
  const { clock, killGraceMs = KILL_GRACE_MS, lingerMs = 250 } = options;
  const { child, exited, closed } = started;
  const flush = child.outputs.map((stream) => collect(stream, collected.take));
  const over = Promise.withResolvers<OverLimit>();
  const ending = untilExitOrStop(exited, request.timeoutMs, { clock, signal, over: over.promise });
  const identity = { ...(await recordStart(id, started.processId, books)), cgroup };
  const watched = books.watch.add(identity, (excess: Excess) => over.resolve({ type: "over-limit", ...excess }));
  const stopped: Stop | undefined = await ending;
  watched[Symbol.dispose]();
  if (stopped === undefined) await Promise.all([within(closed, clock, lingerMs), familyGone(identity, clock, lingerMs)]);
  // Searched twice even if nothing was found: a process that forks and exits during the search is missed. The record of a process that cannot be ended stays:
  // the next start tries again.
  const graceMs = stopped?.type === "over-limit" ? 0 : killGraceMs;
  if (await endFamily(identity, { clock, graceMs })) await forget(id, books);
  // A process that was not found may still hold the pipes; do not wait for it.
  await within(closed, clock, lingerMs);
  for (const stream of child.outputs) stream.destroy();
  for (const rest of flush) rest();
  collected.end();
  const end = stopped ?? (await outOfMemory(cgroup, options)) ?? toEnd(await exited);
  await cgroup?.remove();
  return end;
}

/** The output of one command: capped for its result, the newest part for readers while it runs, the beginning for watchers. */
interface CollectedOutput {
  readonly ring: OutputRing;
  readonly take: (text: string, bytes: number) => void;
  readonly end: () => void;
  readonly result: () => Pick<CommandResult, "output" | "outputBytes">;
}

function collectOutput(
  { maxOutputBytes }: CommandRequest,
  { onOutput }: CommandOptions,
  { clock, redactor = NO_REDACTION }: HostRunnerOptions,
  { ringBytes }: Books,
): CollectedOutput {
  const output = new CappedOutput(maxOutputBytes, redactor);
  let [outputBytes, shownChars] = [0, 0];
  // Redacting a flood that nobody reads would take the whole time of the gateway: after the part for watchers it waits for a reader.
  let late = "";
  let cutChars = 0;
  const redactLate = (): void => {
    const text = late;
    late = "";
    if (text !== "") live.push(text);
  };
  const ring = new OutputRing(ringBytes, redactLate);
  const live = redactor.stream((text) => {
    // The first characters after a gap may be the end of a secret.
    const cut = Math.min(cutChars, text.length);
    cutChars -= cut;
    if (cut > 0) ring.skip(Buffer.byteLength(text.slice(0, cut)));
    ring.append(text.slice(cut));
    if (text === "" || shownChars > maxOutputBytes) return;
    shownChars += text.length;
    onOutput(text);
  });
  let takenMs = 0;
  let quiet: Disposable | undefined;
  const settleSoon = (): void => {
    quiet ??= clock.schedule(QUIET_MS, () => {
      quiet = undefined;
      if (clock.monotonic() - takenMs < QUIET_MS) return settleSoon();
      redactLate();
      live.flush();
    });
  };
  const dropOldest = (): void => {
    live.flush();
    const kept = late.slice(-ringBytes());
    ring.skip(Buffer.byteLength(late) - Buffer.byteLength(kept));
    late = kept;
    cutChars = redactor.maxSecretChars;
  };
  return {
    ring,
    take: (text, bytes) => {
      outputBytes += bytes;
      output.append(text);
      late += text;
      if (shownChars <= maxOutputBytes) redactLate();
      else ring.wake();
      if (late.length > 2 * ringBytes()) dropOldest();
      takenMs = clock.monotonic();
      settleSoon();
    },
    end: () => {
      quiet?.[Symbol.dispose]();
      redactLate();
      live.flush();
      ring.end(ENDED_RING_BYTES);
    },
    result: () => ({ output: output.toString(), outputBytes }),
  };
}

function hasInput({ input }: CommandRequest): boolean {
  return input !== undefined && input.type !== "none";
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

type CommandLine =
  | { readonly type: "line"; readonly file: string; readonly args: readonly string[] }
  | { readonly type: "missing"; readonly message: string };

/** A program that is run without a shell gets no marker and no cgroup: its start must show whether it exists. */
async function commandLine(
  { command, input }: CommandRequest,
  {
    marker,
    cgroup,
    env,
  }: { readonly marker: string; readonly cgroup: CommandCgroup | undefined; readonly env: Readonly<Record<string, string>> },
): Promise<CommandLine> {
  if (command.type === "argv" && input?.type !== "terminal") return { type: "line", file: command.file, args: command.args };
  const plain = command.type === "argv" ? [command.file, ...command.args] : [...(await shellWords()), "-c", command.text];
  const wrapped = input?.type === "terminal" ? await terminalWords(plain, { ...input, env }) : ({ type: "words", words: plain } as const);
  if (wrapped.type === "missing") return wrapped;
  return { type: "line", file: "/bin/sh", args: ["-c", MARKED_START, "sh", marker, cgroup?.folder ?? "", ...wrapped.words] };
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
  readonly hasInput: boolean;
  readonly books: Books;
}

/** The records, the measurement, the logger of failures, and how much output may be kept. */
export interface Books {
  readonly records: ChildRecords;
  readonly logger: HostRunnerOptions["logger"];
  readonly watch: LimitWatch;
  readonly ringBytes: () => number;
}

async function forget(id: string, { records, logger }: Books): Promise<void> {
  try {
    await records.remove(id);
  } catch (error) {
    logger.warn("The record of a command that has ended could not be removed; the next start looks for it in vain", { id, error });
  }
}

/** Records that a command will run, and starts it. */
async function startAnnounced(id: string, line: Extract<CommandLine, { type: "line" }>, place: Place): Promise<Started> {
  try {
    await place.books.records.announce(id);
  } catch (error) {
    const why = error instanceof Error ? error.message : "unknown reason";
    return { type: "not-started", message: `The command was not started, because what runs must be written down first: ${why}` };
  }
  const started = await start(line, place);
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
async function start({ file, args }: Extract<CommandLine, { type: "line" }>, { cwd, env, hasInput: isOpen }: Place): Promise<Started> {
  let child: ChildProcess;
  try {
    child = spawn(file, args, { cwd, env, detached: true, stdio: [isOpen ? "pipe" : "ignore", "pipe", "pipe"], windowsHide: true });
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
  const outputs = [child.stdout, child.stderr].filter((stream) => stream !== null);
  return { type: "started", child: { stdin: child.stdin, outputs }, processId: child.pid, exited, closed };
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

function toEnd(exit: Exit): CommandResult["end"] {
  if (exit.signal !== null) return { type: "signalled", signal: exit.signal };
  return { type: "exited", exitCode: exit.exitCode ?? 0 };
}
