import { readFile, realpath } from "node:fs/promises";
import type { StatePaths } from "@factotum/config";
import * as z from "zod";

/** Facts that a running gateway writes, so that commands find it. */
export interface RuntimeFacts {
  readonly pid: number;
  readonly port: number;
  /** Reachable from this machine. */
  readonly url: string;
  readonly startedAtMs: number;
  readonly version: string;
  /** Real path of its state directory; absent in files of earlier versions. */
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
 * The file of the last gateway of this state directory; `undefined` if it is missing, unreadable, or was copied with another state directory, whose gateway is
 * not ours. The gateway may have ended since.
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
