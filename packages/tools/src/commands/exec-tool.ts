import type { AgentTool, AgentToolResult, CommandRequest, CommandResult, CommandRunner, RunFacts } from "@factotum/agent-contract";
import { z } from "zod";
import { defineTool } from "../define-tool/define-tool.ts";
import { errorResult, textResult } from "../define-tool/tool-result.ts";
import type { FileAccess, RunFiles } from "../file-access/create-file-access.ts";
import { boundFiles } from "./bound-files.ts";
import { parseShellText } from "./shell-text.ts";

/** Reserve for the omission mark and the closing line, so that the whole result stays within the cap. */
const NOTE_CHARS = 200;

/** Variables that change which program runs, or what the shell does before the command: an approved command must mean what it says (R21). */
const REFUSED_ENV = /^(PATH|IFS|ENV|BASH_ENV|SHELLOPTS|BASHOPTS|PS4|BASH_FUNC_.*|LD_.*|DYLD_.*)$/i;

export interface ExecToolOptions {
  readonly runner: CommandRunner;
  readonly files: FileAccess;
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
    command: z.string().min(1).describe("Command line or script for the shell"),
    workdir: z.string().optional().describe("Folder to run in; default: the workspace"),
    env: z
      .record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "expected a variable name"), z.string())
      .optional()
      .describe("Extra environment variables. Variables that decide which program runs, such as PATH, are refused"),
    timeoutSeconds: z.int().min(1).max(1_000_000).optional().describe(`Time limit; default and maximum: ${maxSeconds}`),
  });
}

/** Runs shell text to completion. For the owner only. */
export function createExecTool(options: ExecToolOptions): AgentTool {
  const { runner, files, timeoutSeconds: maxSeconds, maxResultChars, searchPath, avoidsShell } = options;
  const maxOutputBytes = maxResultChars - NOTE_CHARS;
  return defineTool({
    name: "exec",
    summary: "Run a shell command",
    description: [
      "Runs a shell command to completion and returns its output, and its exit code if that is not 0. Refused while someone other than your owner is writing.",
      "Each call starts a fresh shell: a changed directory or variable does not carry over. There is no standard input, and background processes are stopped when the command ends.",
      `A command is stopped after timeoutSeconds (default and maximum: ${maxSeconds}). If the output is longer than ${maxOutputBytes} bytes, only its beginning and end are returned; redirect long output to a file.`,
    ].join(" "),
    schema: execSchema(maxSeconds),
    traits: { effect: "execute", idempotent: false, output: "trusted", network: true, parallel: false },
    async inspect({ command, workdir = ".", env = {} }, run) {
      const problem = problemOf(command, env);
      if (problem !== undefined) return { type: "invalid", message: problem };
      const cwd = await realFolder(await files.forRun(run), workdir);
      const text = await parseShellText(command);
      const bound = await boundFiles(text, { cwd, searchPath });
      return {
        type: "action",
        text: describe(command, { cwd: cwd === run.workspace ? undefined : cwd, env }),
        binding: { command, cwd, env, files: bound.map(({ path, digest }) => ({ path, digest })) },
        // Variables can change what a program does.
        ...(text.type === "argv" && Object.keys(env).length === 0 ? { argv: text.argv } : {}),
      };
    },
    async execute({ command, workdir = ".", env = {}, timeoutSeconds = maxSeconds }, { run, signal, onDelta }) {
      if (!run.owner) return errorResult("exec is refused: commands run for the owner only, and this message is not the owner's.");
      const problem = problemOf(command, env);
      if (problem !== undefined) return errorResult(problem);
      const cwd = await realFolder(await files.forRun(run), workdir);
      const seconds = Math.min(timeoutSeconds, maxSeconds);
      const result = await runner.run(
        {
          command: await commandOf(command, avoidsShell),
          cwd,
          env: { ...(await runVariables(run, options)), ...env },
          timeoutMs: seconds * 1_000,
          maxOutputBytes,
        },
        { signal, run, onOutput: cappedDelta(onDelta, maxOutputBytes) },
      );
      return toResult(result, seconds);
    },
  });
}

/** Why a command is refused, for the model. */
function problemOf(command: string, env: Readonly<Record<string, string>>): string | undefined {
  const refused = Object.keys(env).filter((name) => REFUSED_ENV.test(name));
  if (refused.length > 0) return `env may not set ${refused.join(", ")}: it would change which program runs. Set it inside the command.`;
  return command.includes("\0") ? "The command holds a NUL character." : undefined;
}

async function commandOf(text: string, avoidsShell: boolean): Promise<CommandRequest["command"]> {
  const parsed = avoidsShell ? await parseShellText(text) : undefined;
  if (parsed?.type !== "argv") return { type: "shell", text };
  const [file = "", ...args] = parsed.argv;
  return { type: "argv", file, args };
}

/** The command as the owner reads it: with the folder and the variables that it runs with. */
function describe(
  command: string,
  { cwd, env }: { readonly cwd: string | undefined; readonly env: Readonly<Record<string, string>> },
): string {
  const variables = Object.entries(env).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  return [
    command,
    ...(cwd === undefined ? [] : [`Folder: ${cwd}`]),
    ...(variables.length === 0 ? [] : [`Variables: ${variables.join(" ")}`]),
  ].join("\n");
}

async function runVariables(run: RunFacts, { environment }: ExecToolOptions): Promise<Readonly<Record<string, string>>> {
  const variables = (await environment?.(run)) ?? {};
  return Object.fromEntries(Object.entries(variables).filter(([name]) => !REFUSED_ENV.test(name)));
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

function toResult({ end, output, outputBytes, durationMs }: CommandResult, timeoutSeconds: number): AgentToolResult {
  const exitCode = end.type === "exited" ? end.exitCode : null;
  const details = { exitCode, timedOut: end.type === "timed-out", durationMs, outputBytes };
  const say = (closing: string): string => `${output}${output === "" || output.endsWith("\n") ? "" : "\n"}${closing}`;
  switch (end.type) {
    case "exited":
      if (end.exitCode === 0) return textResult(output === "" ? "(no output)" : output, { details });
      return textResult(say(`[exit code ${end.exitCode}]`), { details });
    case "signalled":
      return errorResult(say(`[killed by ${end.signal}]`), { details });
    case "timed-out":
      return errorResult(say(`[stopped after ${timeoutSeconds} seconds: the time limit]`), { details });
    case "aborted":
      return errorResult(say("[stopped: the run was aborted]"), { details });
    case "over-limit":
      return errorResult(say(`[${overLimit(end)}]`), { details });
    case "not-started":
      return errorResult(end.message, { details });
  }
}

function overLimit({ limit, used, allowed }: Extract<CommandResult["end"], { type: "over-limit" }>): string {
  const advice = "Do less at a time; your owner can raise the limit in the configuration.";
  if (limit === "processes")
    return `stopped: all running commands together had ${used} processes, and tools.exec.maxProcesses allows ${allowed}. ${advice}`;
  const megabytes = (bytes: number): number => Math.ceil(bytes / 1024 ** 2);
  return `stopped: all running commands together used ${megabytes(used)} MB of memory, and tools.exec.maxMemoryMb allows ${megabytes(allowed)}. ${advice}`;
}
