import { readdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { nearestName } from "@factotum/agent-contract";
import { FileAccessError } from "./file-access-error.ts";
import { realPathOf } from "./grants.ts";
import type { OpenContext } from "./open-folder.ts";

/** Names of a folder that are compared; more would keep the call waiting. */
const MAX_NAMES = 5_000;

/** The error of a path that does not exist, with the nearest name of its folder, or how to find the file. */
export async function toMissingError(path: string, context: OpenContext, cause: unknown): Promise<FileAccessError> {
  const nearest = await nearestIn(dirname(path), basename(path), context);
  const advice = nearest === undefined ? "Look for it with ls or find." : `Did you mean ${context.show(nearest)}?`;
  return new FileAccessError("not-found", `${context.show(path)} does not exist. ${advice}`, { cause });
}

/** Only names that the run may read: the others are not to be guessed. */
async function nearestIn(folder: string, name: string, { grants }: OpenContext): Promise<string | undefined> {
  const real = await realPathOf(folder);
  if (real === undefined || (await grants.decide(real)).type !== "granted") return undefined;
  try {
    const nearest = nearestName(name, (await readdir(real)).slice(0, MAX_NAMES));
    if (nearest === undefined) return undefined;
    const found = await realPathOf(join(real, nearest));
    return found !== undefined && (await grants.decide(found)).type === "granted" ? join(folder, nearest) : undefined;
  } catch {
    // A file, or a folder that may not be listed: there is nothing to suggest.
    return undefined;
  }
}
