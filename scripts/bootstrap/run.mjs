import { spawn } from "node:child_process";
import { fail } from "./fail.mjs";
import { ROOT } from "./root.mjs";

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
  // A terminal sends Ctrl-C to the whole group; handing it on as well would make two of it.
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
