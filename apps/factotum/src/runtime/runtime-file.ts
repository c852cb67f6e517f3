import { readFile } from "node:fs/promises";
import type { StatePaths } from "@factotum/config";
import * as z from "zod";

/** What a running gateway writes about itself, so that commands find it. */
export interface RuntimeFacts {
  readonly pid: number;
  readonly port: number;
  /** Reachable from this machine. */
  readonly url: string;
  readonly startedAtMs: number;
  readonly version: string;
}

const RuntimeFactsSchema: z.ZodType<RuntimeFacts> = z.object({
  pid: z.int().positive(),
  port: z.int().positive(),
  url: z.url(),
  startedAtMs: z.number(),
  version: z.string(),
});

/** What the last gateway wrote; `undefined` when there is nothing, or nothing that can be read. It may have ended since. */
export async function readRuntimeFile({ runtimeFile }: StatePaths): Promise<RuntimeFacts | undefined> {
  try {
    const parsed = RuntimeFactsSchema.safeParse(JSON.parse(await readFile(runtimeFile, "utf8")));
    return parsed.success ? parsed.data : undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT" || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** True while a process of that number exists. */
export function isProcessAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // EPERM: it is there, and belongs to somebody else.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
