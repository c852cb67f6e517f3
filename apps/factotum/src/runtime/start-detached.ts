import { spawn } from "node:child_process";
import { open, type FileHandle } from "node:fs/promises";
import { dirname } from "node:path";
import { makeFolder } from "@factotum/config";
import { CHILD_VARIABLE } from "@factotum/sandbox";
import type { CliContext } from "./cli-context.ts";
import { CliError } from "./cli-error.ts";
import { EXIT } from "./exit-codes.ts";
import { fullDiskError } from "./full-disk.ts";
import { readRuntimeFile, type RuntimeFacts } from "./runtime-file.ts";
import { START_LIMITS, startProgress, waitForStart, type StartLimits, type StartResult } from "./wait-for-start.ts";

const SHOWN_BYTES = 2000;

/**
 * Starts a gateway that outlives this command, with its output in a separate file, and waits until it is ready, as long as it makes progress. `port`: instead
 * of the configured one. Rejects with a `CliError`; a gateway that is not ready within the limits keeps running.
 */
export async function startDetached(
  context: CliContext,
  { port, limits = START_LIMITS }: { readonly port?: number; readonly limits?: StartLimits } = {},
): Promise<RuntimeFacts> {
  const { paths, self, env } = context;
  const { outputFile } = paths;
  await makeFolder(dirname(outputFile));
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
    const exit = new AbortController();
    const ended = new Promise<string>((resolve) => {
      child.once("error", (error) => resolve(error.message));
      child.once("exit", (code, signal) => {
        exitCode = code;
        resolve(signal === null ? `it ended with exit code ${code}` : `it was ended by ${signal}`);
      });
    });
    // A process that has ended is not waited for any longer.
    void ended.then(() => exit.abort());
    const signal = AbortSignal.any([context.signal, exit.signal]);
    const started = await Promise.race([waitUntilReady(context, child.pid, { limits, signal }), ended]);
    if (typeof started === "string") {
      // Its own output may not have been stored.
      const full = exitCode === EXIT.failure ? await fullDiskError(paths.home, started) : undefined;
      if (full !== undefined) throw full;
      throw new CliError(
        exitCode === EXIT.configInvalid ? "configInvalid" : "failure",
        `The gateway did not start: ${started}.\n${await tail(outputFile)}`,
        {
          fix: `What it printed: ${outputFile}; its log: ${paths.logFile}`,
        },
      );
    }
    child.unref();
    if (started.type === "late") throw stillStarting(context, child.pid, started.waitedMs);
    return started.value;
  } finally {
    await output.close();
  }
}

/** The environment of a process that outlives the gateway's command that starts it: without the marker by which the command's processes are ended. */
export function outsideOfCommands(env: CliContext["env"]): Record<string, string | undefined> {
  const { [CHILD_VARIABLE]: _mark, ...rest } = env;
  return rest;
}

async function waitUntilReady(
  { paths }: CliContext,
  pid: number | undefined,
  { limits, signal }: { readonly limits: StartLimits; readonly signal: AbortSignal },
): Promise<StartResult<RuntimeFacts>> {
  const look = async (): Promise<RuntimeFacts | undefined> => {
    const facts = await readRuntimeFile(paths);
    return facts !== undefined && facts.pid === pid && (await isReady(facts.url)) ? facts : undefined;
  };
  return waitForStart({ look, progress: async () => startProgress(paths, pid), limits, signal });
}

function stillStarting({ paths, signal }: CliContext, pid: number | undefined, waitedMs: number): CliError {
  const message = signal.aborted
    ? `The gateway (process ${pid}) was still starting when this command was stopped.`
    : `The gateway (process ${pid}) is still starting after ${Math.round(waitedMs / 1000)} seconds, and continues by itself.`;
  return new CliError("failure", message, {
    fix: `See whether it runs: "factotum gateway status". What it printed: ${paths.outputFile}; its log: ${paths.logFile}`,
  });
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
