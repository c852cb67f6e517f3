import { execFile } from "node:child_process";
import type { Environment } from "@factotum/config";
import { CliError } from "../runtime/cli-error.ts";

/** How long an installation may take. */
const NPM_MS = 10 * 60_000;

/** The environment of npm: its own settings, the network's and the user's, and none of the keys of this process. */
const PASSED =
  /^(?:PATH|HOME|USER|LANG|LC_\w+|TMPDIR|XDG_\w+|NODE_EXTRA_CA_CERTS|SSL_CERT_(?:FILE|DIR)|npm_config_\w+|(?:HTTPS?|NO|ALL)_PROXY)$/i;

/** Runs npm in a folder, without scripts of packages, and resolves with its standard output. Rejects with a `CliError` that has npm's reason. */
export function runNpm(
  args: readonly string[],
  { folder, env, signal }: { readonly folder: string; readonly env: Environment; readonly signal: AbortSignal },
): Promise<string> {
  const own = Object.fromEntries(Object.entries(env).filter(([name]) => PASSED.test(name)));
  const quiet = ["--ignore-scripts", "--no-audit", "--no-fund", "--no-update-notifier", "--loglevel=error"];
  return new Promise((resolve, reject) => {
    execFile(
      "npm",
      [...args, ...quiet],
      { cwd: folder, env: own, encoding: "utf8", timeout: NPM_MS, signal, maxBuffer: 16 * 1024 * 1024 },
      (error, stdout, stderr) => {
        if (error === null) resolve(stdout);
        else if (error.code === "ENOENT") {
          const fix = "Install npm, which comes with Node, and put it on the PATH.";
          reject(new CliError("failure", "npm is needed to install packages, and it was not found.", { fix, cause: error }));
        } else if (typeof error.signal === "string") {
          const fix = "Nothing was changed. Run the command again.";
          reject(new CliError("failure", `npm ${args[0] ?? ""} was ended by ${error.signal}.`, { fix, cause: error }));
        } else
          reject(
            new CliError("failure", `npm ${args[0] ?? ""} failed: ${reasonOf(stderr)}`, { fix: "Nothing was changed.", cause: error }),
          );
      },
    );
  });
}

/** The lines of npm's errors that say something, without the path of its log. */
function reasonOf(stderr: string): string {
  const lines = stderr
    .split("\n")
    .flatMap((line) => /^npm (?:error|ERR!) (?!code|A complete log|errno|syscall)(.+)$/.exec(line)?.[1]?.trim() ?? []);
  return lines.slice(0, 3).join(" ") || stderr.trim().slice(0, 400) || "it ended without a message";
}
