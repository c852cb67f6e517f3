import { spawn } from "node:child_process";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The repository's root directory. */
export const ROOT = join(dirname(fileURLToPath(import.meta.url)), "../..");

/** Where the bootstrap stores its stamps; removed with the installation. */
export const STATE = join(ROOT, "node_modules/.factotum");

const QUIET = { DO_NOT_TRACK: "1", TURBO_TELEMETRY_DISABLED: "1", TURBO_NO_UPDATE_NOTIFIER: "1", npm_config_update_notifier: "false" };

/**
 * The environment of a child: Node 24 and the installed commands first in PATH, nothing that npm says about the script it runs, no
 * telemetry. A tool without a terminal gets `CI`, so that it never asks.
 *
 * @param {string | undefined} node the Node binary whose folder leads PATH
 * @param {{ tool?: boolean }} [options]
 * @returns {NodeJS.ProcessEnv}
 */
export function environment(node, { tool = false } = {}) {
  const kept = Object.entries(process.env).filter(([name]) => !/^npm_(package|lifecycle)_/.test(name));
  /** @type {NodeJS.ProcessEnv} */
  const env = { ...Object.fromEntries(kept), ...QUIET };
  const folders = [...(node === undefined ? [] : [dirname(node)]), join(ROOT, "node_modules/.bin"), process.env["PATH"] ?? ""];
  env["PATH"] = [...new Set(folders.flatMap((folder) => folder.split(delimiter)))].filter((folder) => folder !== "").join(delimiter);
  if (tool && !(process.stdin.isTTY && process.stdout.isTTY)) env["CI"] ??= "true";
  return env;
}

/**
 * Ends the process with one message that says what is wrong, and a second one that says what to do.
 *
 * @param {string} problem
 * @param {string} [remedy]
 * @returns {never}
 */
export function fail(problem, remedy) {
  process.stderr.write(`factotum: ${problem}\n${remedy === undefined ? "" : `${remedy}\n`}`);
  process.exit(1);
}

const FORWARDED = /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"]);

/**
 * Runs one command with this process's streams and hands every signal on to it. Resolves when it succeeded; otherwise, and always
 * with `exit`, this process ends as the command ended: with its exit code, or by its signal.
 *
 * @param {string[]} command
 * @param {{ env: NodeJS.ProcessEnv, exit?: boolean, cwd?: string, stdoutToStderr?: boolean }} options
 * @returns {Promise<void>}
 */
export async function run([file = "", ...args], { env, exit = false, cwd, stdoutToStderr = false }) {
  const child = spawn(file, args, { env, cwd, stdio: ["inherit", stdoutToStderr ? 2 : "inherit", "inherit"] });
  // A terminal sends Ctrl-C to the whole group; forwarding it as well would duplicate it.
  const handlers = FORWARDED.map((signal) => ({ signal, handler: () => void (isFromTerminal(signal) || child.kill(signal)) }));
  for (const { signal, handler } of handlers) process.on(signal, handler);
  /** @type {{ code: number | null, signal: NodeJS.Signals | null }} */
  const ended = await new Promise((resolve) => {
    child.once("error", (error) => fail(`${file} does not start: ${error.message}`, `Run it from ${ROOT} by hand to see why.`));
    child.once("close", (code, signal) => resolve({ code, signal }));
  });
  for (const { signal, handler } of handlers) process.off(signal, handler);
  if (ended.signal !== null) {
    process.kill(process.pid, ended.signal);
    await new Promise((resolve) => setTimeout(resolve, 1000));
    process.exit(1);
  }
  if (exit || ended.code !== 0) process.exit(ended.code ?? 1);
}

/** @param {NodeJS.Signals} signal */
function isFromTerminal(signal) {
  return process.stdin.isTTY && (signal === "SIGINT" || signal === "SIGQUIT");
}
