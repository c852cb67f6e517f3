import { stat } from "node:fs/promises";
import path from "node:path";
import type { CommandRunner, JobCheck, RunFacts } from "@factotum/agent-contract";
import { cutText } from "@factotum/agent-core";

/** Maximum bytes of what a check gives to its run. */
const MAX_CHECK_BYTES = 16_000;
const CHECK_MS = 30_000;

/** What decided about a run. `seen`: what a check of a file saw, for the next one. */
export type CheckResult =
  | { readonly type: "run"; readonly output: string; readonly seen?: string }
  | { readonly type: "skip"; readonly reason: string; readonly seen?: string }
  /** Its program cannot be run: a job that never runs would not be noticed. */
  | { readonly type: "fail"; readonly reason: string; readonly seen?: undefined };

/** What checks use. */
export interface CheckOptions {
  readonly commands: Pick<CommandRunner, "run">;
  readonly fetch: typeof fetch;
  readonly run: RunFacts;
  /** What the check of a file saw at the run before. */
  readonly seen: string | undefined;
  readonly signal: AbortSignal;
}

/** Decides without a model whether a run is worth it. Never rejects: a page or a file that cannot be read skips the run, a program that cannot be run fails it. */
export async function makeCheck(check: JobCheck, options: CheckOptions): Promise<CheckResult> {
  switch (check.type) {
    case "argv":
      return checkProgram(check.argv, options);
    case "url":
      return checkUrl(check.url, options);
    case "fileChanged":
      return checkFile(check.path, options);
  }
}

async function checkProgram([file = "", ...args]: readonly string[], { commands, run, signal }: CheckOptions): Promise<CheckResult> {
  const { end, output } = await commands.run(
    { command: { type: "argv", file, args }, cwd: run.workspace, env: {}, timeoutMs: CHECK_MS, maxOutputBytes: MAX_CHECK_BYTES },
    { signal, run, onOutput: () => undefined },
  );
  if (end.type === "exited")
    return end.exitCode === 0 ? { type: "run", output } : { type: "skip", reason: `gate: exit code ${end.exitCode}` };
  return { type: "fail", reason: `gate: ${end.type === "not-started" ? end.message : end.type}` };
}

async function checkUrl(url: string, { fetch, signal }: CheckOptions): Promise<CheckResult> {
  try {
    const response = await fetch(url, { redirect: "error", signal: AbortSignal.any([signal, AbortSignal.timeout(CHECK_MS)]) });
    if (!response.ok) {
      await response.body?.cancel();
      return { type: "skip", reason: `gate: status ${response.status}` };
    }
    return { type: "run", output: await readBounded(response) };
  } catch (error) {
    return { type: "skip", reason: `gate: ${error instanceof Error ? error.message : String(error)}` };
  }
}

async function readBounded({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    chunks.push(chunk);
    bytes += chunk.byteLength;
    if (bytes >= MAX_CHECK_BYTES) break;
  }
  return cutText(Buffer.concat(chunks).toString("utf8"), MAX_CHECK_BYTES, "…");
}

async function checkFile(named: string, { run, seen: before }: CheckOptions): Promise<CheckResult> {
  let seen = "";
  try {
    const { mtimeMs, size } = await stat(path.resolve(run.workspace, named));
    seen = `${mtimeMs}/${size}`;
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ENOENT"))
      return { type: "skip", reason: `gate: ${error instanceof Error ? error.message : String(error)}` };
  }
  // A file that was never there has not changed.
  if (seen === (before ?? ""))
    return { type: "skip", reason: `gate: ${seen === "" ? "there is no such file" : "the file has not changed"}`, seen };
  return { type: "run", output: "", seen };
}
