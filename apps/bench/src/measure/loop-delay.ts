import { fileURLToPath, pathToFileURL } from "node:url";
import { readFile, rm } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import type { Measurements } from "../report/figures.ts";

const PROBE = pathToFileURL(fileURLToPath(new URL("../loop-delay-probe.ts", import.meta.url))).href;
const ANSWER_LIMIT_MS = 5000;

/** Environment of a process that reports its event loop's delay. */
export function loopDelayEnvironment(file: string): Readonly<Record<string, string>> {
  return { NODE_OPTIONS: `--import=${PROBE}`, BENCH_LOOP_DELAY_FILE: file };
}

/** Discards earlier measurements, such as the start. */
export async function resetLoopDelay(pid: number, file: string): Promise<void> {
  await askLoopDelay(pid, file);
}

/** The delays since the last reset. */
export async function readLoopDelay(pid: number, file: string): Promise<Measurements> {
  const { p99Ms, maxMs } = await askLoopDelay(pid, file);
  return { loopDelayP99: { value: p99Ms }, loopDelayMax: { value: maxMs } };
}

async function askLoopDelay(pid: number, file: string): Promise<{ readonly p99Ms: number; readonly maxMs: number }> {
  await rm(file, { force: true });
  process.kill(pid, "SIGUSR2");
  for (const startedAt = performance.now(); performance.now() - startedAt < ANSWER_LIMIT_MS; await delay(10)) {
    const text = await readIfThere(file);
    if (text.endsWith("\n")) return JSON.parse(text) as { p99Ms: number; maxMs: number };
  }
  throw new Error("The process does not tell its event loop's delay.");
}

async function readIfThere(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw error;
  }
}
