import { execFile } from "node:child_process";
import type { Environment } from "@factotum/config";

/** How a program ended. `code` is -1 if it could not be started. */
export interface ProgramResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a system program to completion, without a shell, at most `timeoutMs` (30,000). Never rejects. */
export function runProgram(file: string, args: readonly string[], env: Environment, timeoutMs = 30_000): Promise<ProgramResult> {
  return new Promise((resolve) => {
    execFile(file, args, { env: { ...env }, timeout: timeoutMs, encoding: "utf8" }, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === "number" ? error.code : -1;
      resolve({ code, stdout, stderr: code === -1 ? (error?.message ?? stderr) : stderr });
    });
  });
}
