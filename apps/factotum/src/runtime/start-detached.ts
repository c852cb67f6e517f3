import { spawn } from "node:child_process";
import { mkdir, open, type FileHandle } from "node:fs/promises";
import { dirname } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { CHILD_VARIABLE } from "@factotum/sandbox";
import type { CliContext } from "./cli-context.ts";
import { CliError } from "./cli-error.ts";
import { EXIT } from "./exit-codes.ts";
import { readRuntimeFile, type RuntimeFacts } from "./runtime-file.ts";

const READY_TIMEOUT_MS = 30_000;
const POLL_MS = 50;
const SHOWN_BYTES = 2000;

/**
 * Starts a gateway that outlives this command, with its output in a separate file, and waits until it is ready. `port`: instead of the configured one. Rejects
 * with a `CliError`.
 */
export async function startDetached(context: CliContext, { port }: { readonly port?: number } = {}): Promise<RuntimeFacts> {
  const { paths, self, env } = context;
  const { outputFile } = paths;
  await mkdir(dirname(outputFile), { recursive: true, mode: 0o700 });
  const output = await open(outputFile, "w", 0o600);
  try {
    const listen = port === undefined ? [] : ["--port", String(port)];
    const child = spawn(self.file, [...self.args, "gateway", "run", "--hide-token", "--quiet", ...listen], {
      detached: true,
      stdio: ["ignore", output.fd, output.fd],
      env: outsideOfCommands(env),
      cwd: paths.home,
    });
    let exitCode: number | null = null;
    const ended = new Promise<string>((resolve) => {
      child.once("error", (error) => resolve(error.message));
      child.once("exit", (code, signal) => {
        exitCode = code;
        resolve(signal === null ? `it ended with exit code ${code}` : `it was ended by ${signal}`);
      });
    });
    const facts = await Promise.race([waitUntilReady(context, child.pid), ended]);
    if (typeof facts === "string") {
      throw new CliError(
        exitCode === EXIT.configInvalid ? "configInvalid" : "failure",
        `The gateway did not start: ${facts}.\n${await tail(outputFile)}`,
        {
          fix: `What it printed: ${outputFile}; its log: ${paths.logFile}`,
        },
      );
    }
    child.unref();
    return facts;
  } finally {
    await output.close();
  }
}

/** The environment of a process that outlives the gateway's command that starts it: without the marker by which the command's processes are ended. */
export function outsideOfCommands(env: CliContext["env"]): Record<string, string | undefined> {
  const { [CHILD_VARIABLE]: _mark, ...rest } = env;
  return rest;
}

async function waitUntilReady(context: CliContext, pid: number | undefined): Promise<RuntimeFacts | string> {
  const deadline = performance.now() + READY_TIMEOUT_MS;
  while (performance.now() < deadline && !context.signal.aborted) {
    const facts = await readRuntimeFile(context.paths);
    if (facts !== undefined && facts.pid === pid && (await isReady(facts.url))) return facts;
    await delay(POLL_MS);
  }
  return context.signal.aborted ? "the command was stopped while it waited" : `it is not ready after ${READY_TIMEOUT_MS / 1000} seconds`;
}

/** True if the gateway at `url` accepts work. */
export async function isReady(url: string): Promise<boolean> {
  try {
    const response = await fetch(new URL("/readyz", url), { signal: AbortSignal.timeout(2000), redirect: "error" });
    await response.body?.cancel();
    return response.ok;
  } catch (error) {
    // Not listening yet, or too busy to answer in time.
    if (error instanceof Error) return false;
    throw error;
  }
}

async function tail(path: string): Promise<string> {
  const file: FileHandle = await open(path, "r");
  try {
    const { size } = await file.stat();
    const start = Math.max(0, size - SHOWN_BYTES);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(size - start), 0, size - start, start);
    return buffer.subarray(0, bytesRead).toString("utf8").trimEnd();
  } finally {
    await file.close();
  }
}
