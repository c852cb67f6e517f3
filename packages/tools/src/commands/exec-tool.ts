import { commandSandbox } from "@factotum/agent-contract";
import type {
  AgentTool,
  AgentToolResult,
  BackgroundCommands,
  Clock,
  CommandRequest,
  CommandRunner,
  RunFacts,
  RunningCommand,
} from "@factotum/agent-contract";
import { z } from "zod";
import { defineTool } from "../define-tool/define-tool.ts";
import { errorResult, textResult } from "../define-tool/tool-result.ts";
import type { FileAccess, RunFiles } from "../file-access/create-file-access.ts";
import { boundFiles } from "./bound-files.ts";
import { commandResult, endsMidLine, markedOutput, withLine } from "./command-text.ts";
import { endWithin } from "./end-within.ts";
import { reservedWords } from "./reserved-words.ts";
import { parseShellText } from "./shell-text.ts";

/** Reserve for the omission mark and the closing line, so that the whole result stays within the cap. */
const NOTE_CHARS = 200;

const DEFAULT_YIELD_MS = 10_000;
const MAX_YIELD_MS = 600_000;

/** A command that was asked to run in the background still has this long to fail: a typing error is reported at once. */
const START_MS = 200;

/** Most programs expect at least 80 × 24; wider lines are wrapped less. */
const TERMINAL = { type: "terminal", columns: 120, rows: 40 } as const;

/** Variables that change which program runs, or what the shell does before the command: an approved command must mean what it says (R21). */
const REFUSED_ENV = /^(PATH|IFS|ENV|BASH_ENV|SHELLOPTS|BASHOPTS|PS4|BASH_FUNC_.*|LD_.*|DYLD_.*)$/i;

export interface ExecToolOptions {
  readonly runner: CommandRunner;
  readonly files: FileAccess;
  readonly background: BackgroundCommands;
  readonly clock: Pick<Clock, "schedule">;
  /** Maximum and default time limit of a command, in seconds. */
  readonly timeoutSeconds: number;
  /** Maximum characters of a result. */
  readonly maxResultChars: number;
  /** The folders in which commands find programs: the variable PATH. */
  readonly searchPath: string;
  /** True if a command without shell syntax runs without a shell: in the mode `allowlist`, which decides on its words. */
  readonly avoidsShell: boolean;
  /** Variables for the commands of a run. Those of the call override them; those that a call may not set are left out. */
  readonly environment?: ((run: RunFacts) => Promise<Readonly<Record<string, string>>>) | undefined;
}

function execSchema(maxSeconds: number) {
  return z.strictObject({
    command: z.string(),
    workdir: z.string().optional().describe("Default: the workspace"),
    env: z.record(z.string(), z.string()).optional(),
    timeoutSeconds: z
      .number()
      .min(0)
      .optional()
      .describe(`Default and maximum: ${maxSeconds === 0 ? "none" : maxSeconds}`),
    yieldMs: z.number().min(0).optional().describe(`Default: ${DEFAULT_YIELD_MS}`),
    background: z.boolean().optional(),
    pty: z.boolean().optional(),
  });
}

type ExecArguments = z.infer<ReturnType<typeof execSchema>>;

/** Runs shell text, in the foreground first: for the owner, and for everyone whose run is sandboxed. */
export function createExecTool(options: ExecToolOptions): AgentTool {
  const { runner, files, background, timeoutSeconds: maxSeconds, maxResultChars, searchPath, avoidsShell } = options;
  const maxOutputBytes = maxResultChars - NOTE_CHARS;
  return defineTool({
    name: "exec",
    summary: "Run a shell command",
    description: [
      `Runs a command in a fresh shell; returns its output (beginning and end if over ${maxOutputBytes} bytes) and a nonzero exit code.`,
      "After yieldMs, or at once with background, it runs on in the background: use process; you are told when it ends.",
      "Without background or pty (a terminal) standard input is empty. What it leaves running ends with it.",
    ].join(" "),
    schema: execSchema(maxSeconds),
    traits: { effect: "execute", idempotent: false, output: "trusted", network: true, parallel: false, sandboxed: true },
    async inspect({ command, workdir = ".", env = {} }, run) {
      const problem = problemOf(command, env);
      if (problem !== undefined) return { type: "invalid", message: problem };
      const granted = await files.forRun(run);
      const cwd = await realFolder(granted, workdir);
      const text = await parseShellText(command);
      const bound = await boundFiles(text, { cwd, searchPath });
      return {
        type: "action",
        text: describe(command, { cwd: cwd === run.workspace ? undefined : cwd, env, hosts: run.sandbox?.network }),
        // A decision about a command that reaches these hosts alone does not cover the same command on the host.
        binding: { command, cwd, env, files: bound.files.map(({ path, digest }) => ({ path, digest })), ...networkOf(run) },
        ...(bound.isComplete ? {} : { onceOnly: true }),
        // Variables can change what a program does.
        ...(text.type === "argv" && Object.keys(env).length === 0
          ? { argv: text.argv, reservedWords: await reservedWords(text.argv, { cwd, files: granted }) }
          : {}),
      };
    },
    async execute(args, { run, signal, tainted, onDelta }) {
      if (!run.owner && commandSandbox(run) === undefined)
        return errorResult("exec is refused: outside of a sandbox commands run for the owner only, and this message is not the owner's.");
      const { command, env = {}, pty = false, background: isBackground = false, yieldMs = DEFAULT_YIELD_MS } = args;
      const problem = problemOf(command, env);
      if (problem !== undefined) return errorResult(problem);
      const seconds = timeLimit(args, maxSeconds);
      const request: CommandRequest = {
        command: await commandOf(command, avoidsShell),
        cwd: await realFolder(await files.forRun(run), args.workdir ?? "."),
        env: { ...(await runVariables(run, options)), ...env },
        input: pty ? TERMINAL : { type: isBackground ? "pipe" : "none" },
        timeoutMs: seconds * 1_000,
        maxOutputBytes,
        tainted,
      };
      // In the foreground the command ends with the run.
      const ending = new AbortController();
      const end = (): void => ending.abort();
      signal.addEventListener("abort", end, { once: true });
      if (signal.aborted) end();
      let isWatched = true;
      const show = cappedDelta(onDelta, maxOutputBytes);
      const onOutput = (text: string): void => (isWatched ? show(text) : undefined);
      try {
        const running = await runner.start(request, { signal: ending.signal, run, onOutput });
        const result = await endWithin(running.ended, isBackground ? START_MS : Math.min(yieldMs, MAX_YIELD_MS), options.clock);
        if (result !== undefined) return markedOutput(commandResult(result, seconds), run.sandbox);
        // The run is over: nobody may start to wait for the command now.
        if (signal.aborted) return markedOutput(commandResult(await running.ended, seconds), run.sandbox);
        const kept = await keep({ text: command, hasTerminal: pty, running }, { run, tainted, background, maxOutputBytes });
        return markedOutput(kept, run.sandbox);
      } finally {
        isWatched = false;
        signal.removeEventListener("abort", end);
      }
    },
  });
}

/** Why a command is refused, for the model. */
function problemOf(command: string, env: Readonly<Record<string, string>>): string | undefined {
  if (command.trim() === "") return "command is empty: pass a command line or a script for the shell.";
  const names = Object.keys(env);
  const invalid = names.filter((name) => !/^[A-Za-z_][A-Za-z0-9_]*$/.test(name));
  if (invalid.length > 0) return `env: ${invalid.join(", ")}: expected a variable name.`;
  const refused = names.filter((name) => REFUSED_ENV.test(name));
  if (refused.length > 0) return `env may not set ${refused.join(", ")}: it would change which program runs. Set it inside the command.`;
  return command.includes("\0") ? "The command holds a NUL character." : undefined;
}

async function commandOf(text: string, avoidsShell: boolean): Promise<CommandRequest["command"]> {
  const parsed = avoidsShell ? await parseShellText(text) : undefined;
  if (parsed?.type !== "argv") return { type: "shell", text };
  const [file = "", ...args] = parsed.argv;
  return { type: "argv", file, args };
}

function networkOf({ sandbox }: RunFacts): { readonly network?: readonly string[] } {
  return sandbox?.network === undefined ? {} : { network: sandbox.network };
}

/** The command as the owner reads it: with the folder and the variables that it runs with, and the hosts that it reaches from its sandbox. */
function describe(
  command: string,
  {
    cwd,
    env,
    hosts,
  }: { readonly cwd: string | undefined; readonly env: Readonly<Record<string, string>>; readonly hosts: readonly string[] | undefined },
): string {
  const variables = Object.entries(env).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  return [
    command,
    ...(cwd === undefined ? [] : [`Folder: ${cwd}`]),
    ...(variables.length === 0 ? [] : [`Variables: ${variables.join(" ")}`]),
    ...(hosts === undefined ? [] : [`Sandbox with network: ${hosts.join(", ")}`]),
  ].join("\n");
}

async function runVariables(run: RunFacts, { environment }: ExecToolOptions): Promise<Readonly<Record<string, string>>> {
  const variables = (await environment?.(run)) ?? {};
  return Object.fromEntries(Object.entries(variables).filter(([name]) => !REFUSED_ENV.test(name)));
}

/** The time limit of a call in seconds; 0 is none, for a background command where the configuration has none either. */
function timeLimit({ timeoutSeconds, background = false }: ExecArguments, maxSeconds: number): number {
  if (timeoutSeconds === undefined || (timeoutSeconds === 0 && !(background && maxSeconds === 0))) return maxSeconds;
  return maxSeconds === 0 ? timeoutSeconds : Math.min(timeoutSeconds, maxSeconds);
}

/** Hands a command over to the session, with the output until then. */
async function keep(
  command: { readonly text: string; readonly hasTerminal: boolean; readonly running: RunningCommand },
  {
    background,
    maxOutputBytes,
    ...call
  }: {
    readonly run: RunFacts;
    readonly tainted: boolean;
    readonly background: BackgroundCommands;
    readonly maxOutputBytes: number;
  },
): Promise<AgentToolResult> {
  try {
    const kept = await background.keep(command, call);
    const { text } = kept.takeOutput(maxOutputBytes);
    const line = `[runs on in the background, id ${kept.id}; see process; you will be told when it ends]`;
    return textResult(withLine(text, line), { details: { backgroundId: kept.id, ...endsMidLine(text) } });
  } catch (error) {
    command.running.kill();
    await command.running.ended;
    const why = error instanceof Error ? error.message : "unknown reason";
    return errorResult(`The command was stopped, because it could not be kept in the background: ${why}`);
  }
}

/** Checked and closed again: a command may run for long, and gets the path. */
async function realFolder(files: RunFiles, workdir: string): Promise<string> {
  await using folder = await files.openFolder(workdir);
  return folder.path;
}

/** Passes on the beginning of the output; the result summarises a flood, observers do not need it. */
function cappedDelta(onDelta: (text: string) => void, maxChars: number): (text: string) => void {
  let left = maxChars;
  return (text) => {
    if (left <= 0) return;
    left -= text.length;
    onDelta(left >= 0 ? text : `${text.slice(0, left)}\n[…]\n`);
  };
}
