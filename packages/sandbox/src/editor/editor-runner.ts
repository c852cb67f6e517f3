import type {
  Clock,
  CommandRequest,
  CommandResult,
  CommandRunner,
  EditorCommand,
  EditorTerminals,
  RunningCommand,
} from "@factotum/agent-contract";
import type { OutputRedactor } from "../output/capped-output.ts";
import { hostEnvironment } from "../host/host-environment.ts";
import { shellWords } from "../host/shell-words.ts";
import { followTerminal } from "./follow-terminal.ts";

/** Output that an editor keeps of one command. */
const MAX_KEPT_BYTES = 150_000;

/** What must not depend on the editor: no startup file of a shell, and no pager that waits for a key. */
const SETTLED = { BASH_ENV: "", ENV: "", PAGER: "cat", GIT_PAGER: "cat" };

/** Options of the runner. */
export interface EditorRunnerOptions {
  /** Runs everything else. */
  readonly runner: CommandRunner;
  readonly terminals: EditorTerminals;
  /** The environment of commands on the host: an editor's terminal gets the same, on top of its own. */
  readonly baseEnv: Readonly<Record<string, string | undefined>>;
  readonly redactor?: OutputRedactor | undefined;
  /** True for a value that must not leave the gateway. */
  readonly isSecret: (value: string) => boolean;
  readonly clock: Clock;
}

/**
 * Runs the commands of a session that an editor has open in terminals of the editor, where it offers them. Commands that take input, as those in the background
 * do, with a terminal of their own, with secrets among their variables, and all commands of sandboxed runs stay with the other runner.
 */
export function createEditorRunner(options: EditorRunnerOptions): CommandRunner {
  const { runner, terminals } = options;
  const start: CommandRunner["start"] = async (request, how) => {
    if (!terminals.offers(how.run) || !fits(request, options) || how.signal.aborted) return runner.start(request, how);
    const begunMs = options.clock.monotonic();
    const durationMs = (): number => Math.round(options.clock.monotonic() - begunMs);
    try {
      const outcome = await terminals.start(await commandOf(request, options), how.run);
      if (outcome.type === "started") return followTerminal(outcome.terminal, { request, how, begunMs }, options);
      if (outcome.type === "none") return await runner.start(request, how);
      const message = `The editor has not started the command: ${outcome.reason}`;
      return over({ end: { type: "not-started", message }, output: "", outputBytes: 0, durationMs: durationMs() });
    } catch (error) {
      const reason = error instanceof Error ? error.message : "The editor may have started it.";
      const output = `[${reason} What became of the command is unknown.]`;
      return over({ end: { type: "aborted" }, output, outputBytes: 0, durationMs: durationMs() });
    }
  };
  return { start, run: async (request, how) => (await start(request, how)).ended };
}

function fits({ input, env }: CommandRequest, { isSecret }: EditorRunnerOptions): boolean {
  return (input === undefined || input.type === "none") && !Object.values(env).some(isSecret);
}

async function commandOf({ command, cwd, env: added }: CommandRequest, { baseEnv }: EditorRunnerOptions): Promise<EditorCommand> {
  const { TERM: _terminal, ...env } = hostEnvironment(baseEnv, added);
  const [file, ...args] =
    command.type === "argv" ? ([command.file, ...command.args] as const) : [...(await shellWords()), "-c", command.text];
  return { file: file ?? "/bin/sh", args, cwd, env: { ...env, ...SETTLED }, maxOutputBytes: MAX_KEPT_BYTES };
}

/** A command that has ended, or never began. */
function over(result: CommandResult): RunningCommand {
  const closed = (): "closed" => "closed";
  return {
    ended: Promise.resolve(result),
    output: { length: 0, read: (offset) => ({ text: "", offset, next: offset }), changed: async () => false },
    write: closed,
    closeInput: closed,
    kill: () => undefined,
  };
}
