import { isatty } from "node:tty";
import { statePaths } from "@factotum/config";
import { assetPath } from "../runtime/assets.ts";
import { readStandardInput } from "../runtime/utf8-text.ts";
import { readVersion } from "../runtime/version.ts";
import type { CliContext } from "../runtime/cli-context.ts";
import { KNOWN_EXTENSIONS } from "../extensions/known-extensions.ts";
import { runCli } from "./run-cli.ts";

/** Runs the command of this process and leaves its exit code. */
export async function runProcess(): Promise<void> {
  // A reader that closes the pipe (`| head`) is no error.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") process.exit();
    throw error;
  });
  // Output without a reader is dropped: an exception here would only cause more output, and a gateway must continue.
  process.stderr.on("error", () => undefined);
  const stopping = new AbortController();
  const context: CliContext = {
    env: process.env,
    paths: statePaths(process.env),
    version: readVersion(),
    self: { file: process.execPath, args: [...process.execArgv, process.argv[1] ?? ""] },
    platform: process.platform,
    knownExtensions: KNOWN_EXTENSIONS,
    checkout: assetPath("checkout"),
    print: (words) => void process.stdout.write(words),
    note: (words) => void process.stderr.write(words),
    ...(isatty(0) && isatty(2)
      ? {
          confirm: async (question) =>
            (await import("./confirm.ts")).confirm(question, { input: process.stdin, output: process.stderr, signal: stopping.signal }),
        }
      : {}),
    ...(isatty(0) && isatty(1)
      ? { prompts: async () => (await import("./clack-prompts.ts")).createClackPrompts({ signal: stopping.signal }) }
      : {}),
    readInput: async () => readStandardInput(process.stdin, stopping.signal),
    isTerminal: isatty(1),
    hasColour: isatty(1) && isatty(2) && (process.env["NO_COLOR"] ?? "") === "" && process.env["TERM"] !== "dumb",
    signal: stopping.signal,
  };
  for (const [signal, code] of [
    ["SIGINT", 130],
    ["SIGTERM", 143],
    ["SIGHUP", 129],
  ] as const) {
    process.on(signal, () => {
      // A second signal forces the exit.
      if (stopping.signal.aborted) process.exit(code);
      stopping.abort(signal);
    });
  }
  // Without a listener, this signal opens Node.js's debugger, in which any process of the same account can run code: a plugin that bubblewrap does not hold, too.
  process.on("SIGUSR1", () => undefined);
  // Waiting for a process to end, or for a timer of the clock, keeps no process alive by itself.
  const awake = setInterval(() => undefined, 60_000);
  process.exitCode = await runCli(process.argv.slice(2), context).finally(() => clearInterval(awake));
  // The work is done, and handles that a library leaves open must not keep the process.
  process.stdout.write("", () => process.exit());
}
