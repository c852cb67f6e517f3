import type { CommandRequest } from "@factotum/agent-contract";
import { quoteWord, quoteWords } from "./shell-words.ts";

/**
 * Sets the limits that processes inherit, then runs the rest: no core dumps, and at most `$1` processes and threads of this user in the sandbox. Bash calls that limit `-u`,
 * dash calls it `-p`. The kernel does not apply it to root; the runner's own limit holds there too.
 */
const LIMITED = 'ulimit -c 0; { ulimit -u "$1" || ulimit -p "$1"; } 2>/dev/null; shift; ';

/** Runs shell text under bash if the sandbox has it, like the host does. */
const SHELL = 'if [ -x /bin/bash ]; then exec /bin/bash --norc -c "$1"; else exec /bin/sh -c "$1"; fi';

const NO_TERMINAL = "A terminal needs the program `script` of util-linux, and the sandbox has none. Run the command without a terminal.";

/** The command line of a request inside a sandbox. */
export function innerCommand({ command, input }: Pick<CommandRequest, "command" | "input">, maxTasks: number): readonly string[] {
  const [script, ...words] = command.type === "shell" ? [SHELL, command.text] : ['exec "$@"', command.file, ...command.args];
  const limited = ["/bin/sh", "-c", `${LIMITED}${script}`, "sh", String(maxTasks), ...words];
  return input?.type === "terminal" ? ["/bin/sh", "-c", inTerminal(limited, input)] : limited;
}

/**
 * The request for the host that runs `text`, which starts the sandbox. A terminal is made inside of the sandbox and reads a pipe: one of the host would let a
 * command type into the host, and its keys would stop the sandbox instead of the program in it.
 */
export function outerRequest(request: CommandRequest, text: string): CommandRequest {
  const input = request.input?.type === "terminal" ? { input: { type: "pipe" } as const } : {};
  return { ...request, command: { type: "shell", text }, cwd: "/", env: {}, ...input };
}

/** Shell text that runs words in a terminal of this size, which ends with their exit code. */
function inTerminal(words: readonly string[], { columns, rows }: { readonly columns: number; readonly rows: number }): string {
  const line = `stty rows ${rows} cols ${columns} 2>/dev/null; exec ${quoteWords(words)}`;
  const check = `script --version 2>/dev/null | grep -q util-linux || { echo ${quoteWord(NO_TERMINAL)}; exit 127; }`;
  // `script` runs the line in $SHELL, which may be anything.
  return `${check}; SHELL=/bin/sh exec script -qefc ${quoteWord(line)} /dev/null`;
}
