import { Buffer } from "node:buffer";
import { spawn, type ChildProcess } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Clock } from "@factotum/agent-contract";
import type { PdfAnswer, PdfJob, TimedPdfJob } from "./pdf-job.ts";

/** The pages of a document, or why there are none. */
export type PdfResult = PdfAnswer | { readonly type: "failed"; readonly reason: "timed-out" | "broke-down" };

/** Options of the reader. */
export interface PdfReaderOptions {
  readonly clock: Clock;
  /** Path of the program; defaults to the file in this folder, which a bundle must override. */
  readonly program?: string;
  /** For one call. Default 10,000. */
  readonly timeoutMs?: number;
  /** Memory of the process. Default 768, and about the least with which the engine starts; enforced by the system on Linux, elsewhere only for objects. */
  readonly maxMemoryMb?: number;
}

/** Reads the text of a PDF that is open as `fd`. */
export type PdfReader = (fd: number, job: PdfJob, options: { readonly signal: AbortSignal }) => Promise<PdfResult>;

/** The engine's own heap is smaller: most memory of a document are buffers outside of it. */
const HEAP_SHARE = 1 / 3;
/** After this part of the time the pages that were read are the answer. */
const READING_SHARE = 0.6;
const MAX_ANSWER_BYTES = 8 * 1024 * 1024;

/**
 * Reads PDFs in a process that exists for one call, one call at a time, without environment, and limited in time and memory. Even if the gateway is killed the
 * process ends: its processor time is limited, too. Rejects only for an abort.
 */
export function createPdfReader(options: PdfReaderOptions): PdfReader {
  let last: Promise<unknown> = Promise.resolve();
  return async (fd, job, { signal }) => {
    const result = last.then(async () => {
      signal.throwIfAborted();
      return runProgram(fd, job, { ...options, signal });
    });
    // A failure is its own caller's.
    last = result.then(
      () => undefined,
      () => undefined,
    );
    return result;
  };
}

async function runProgram(fd: number, job: PdfJob, options: PdfReaderOptions & { readonly signal: AbortSignal }): Promise<PdfResult> {
  const { clock, timeoutMs = 10_000, signal } = options;
  const child = startProgram(fd, job, options);
  const { promise, resolve } = Promise.withResolvers<PdfResult>();
  const fail = (reason: "timed-out" | "broke-down") => () => resolve({ type: "failed", reason });
  const output: Buffer[] = [];
  let bytes = 0;
  child.stdout?.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > MAX_ANSWER_BYTES) fail("broke-down")();
    else output.push(chunk);
  });
  child.once("error", fail("broke-down"));
  child.once("close", (exitCode) => resolve(exitCode === 0 ? parseAnswer(Buffer.concat(output).toString()) : BROKE_DOWN));
  const timer = clock.schedule(timeoutMs, fail("timed-out"));
  const onAbort = fail("timed-out");
  signal.addEventListener("abort", onAbort, { once: true });
  const result = await promise;
  timer[Symbol.dispose]();
  signal.removeEventListener("abort", onAbort);
  child.kill("SIGKILL");
  signal.throwIfAborted();
  return result;
}

const BROKE_DOWN: PdfResult = { type: "failed", reason: "broke-down" };

/** The shell sets the limits and becomes the program. */
function startProgram(fd: number, job: PdfJob, { program, timeoutMs = 10_000, maxMemoryMb = 768 }: PdfReaderOptions): ChildProcess {
  const limits = `ulimit -t ${Math.ceil(timeoutMs / 1000) + 1}; ulimit -d ${maxMemoryMb * 1024} 2>/dev/null; exec "$@"`;
  const heapMb = Math.floor(maxMemoryMb * HEAP_SHARE);
  const file = program ?? fileURLToPath(new URL("pdf-program.ts", import.meta.url));
  const timed: TimedPdfJob = { ...job, maxMs: timeoutMs * READING_SHARE };
  const command = [process.execPath, `--max-old-space-size=${heapMb}`, file, JSON.stringify(timed)];
  return spawn("/bin/sh", ["-c", limits, "sh", ...command], { stdio: [fd, "pipe", "ignore"], env: {}, cwd: "/" });
}

/** Output that is no answer comes from a program that broke down. */
function parseAnswer(text: string): PdfResult {
  try {
    return JSON.parse(text) as PdfAnswer;
  } catch (error) {
    if (error instanceof SyntaxError) return BROKE_DOWN;
    throw error;
  }
}
