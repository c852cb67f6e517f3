import { execFile } from "node:child_process";
import { promisify } from "node:util";

/** The terminal type of commands, unless the request names another. */
export const TERMINAL_TYPE = "xterm-256color";

const MISSING =
  "A terminal needs the program `script` of util-linux, and there is none on this machine. Install it (Debian and Ubuntu: bsdutils; Fedora: util-linux-script), or run the command without a terminal.";

/**
 * The words that run a program in a terminal: under `script` of util-linux, which connects it to standard input and output, and ends with its exit code. A
 * message for the model if there is no such program.
 */
export async function terminalWords(
  words: readonly string[],
  { columns, rows, env }: { readonly columns: number; readonly rows: number; readonly env: Readonly<Record<string, string>> },
): Promise<{ readonly type: "words"; readonly words: readonly string[] } | { readonly type: "missing"; readonly message: string }> {
  const version = await promisify(execFile)("script", ["--version"], { env: { ...env } }).catch(() => ({ stdout: "" }));
  // The program of the same name on macOS and BSD has other options.
  if (!version.stdout.includes("util-linux")) return { type: "missing", message: MISSING };
  const shell = env["SHELL"] === undefined ? "unset SHELL" : `export SHELL=${quoted(env["SHELL"])}`;
  const line = `stty rows ${rows} cols ${columns} 2>/dev/null; ${shell}; exec ${words.map(quoted).join(" ")}`;
  // `script` runs the line in $SHELL, which may be anything.
  return { type: "words", words: ["env", "SHELL=/bin/sh", "script", "-qefc", line, "/dev/null"] };
}

/** A word as the shell reads it. */
function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
