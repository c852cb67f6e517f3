import { readFile, realpath } from "node:fs/promises";
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
  /** Real path of the state directory in which it runs; absent in what gateways of earlier versions wrote. */
  readonly home?: string | undefined;
}

const RuntimeFactsSchema: z.ZodType<RuntimeFacts> = z.object({
  pid: z.int().positive(),
  port: z.int().positive(),
  url: z.url(),
  startedAtMs: z.number(),
  version: z.string(),
  home: z.string().optional(),
});

/**
 * What the last gateway of this state directory wrote; `undefined` when there is nothing, nothing that can be read, or what came with a copy of another
 * state directory, whose gateway is none of ours. It may have ended since.
 */
export async function readRuntimeFile({ runtimeFile, home }: StatePaths): Promise<RuntimeFacts | undefined> {
  try {
    const parsed = RuntimeFactsSchema.safeParse(JSON.parse(await readFile(runtimeFile, "utf8")));
    if (!parsed.success) return undefined;
    const isOurs = parsed.data.home === undefined || parsed.data.home === (await realpath(home));
    return isOurs ? parsed.data : undefined;
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
