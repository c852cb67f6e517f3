import { rm } from "node:fs/promises";
import { join } from "node:path";

/** In the state folder: a copy of the database in which a running gateway looks for what would be forgotten. */
export const TRIAL_FOLDER = "forget-trial";

/** Removes it, also one that a killed gateway has left. */
export async function removeTrialCopy(stateFolder: string): Promise<void> {
  await rm(join(stateFolder, TRIAL_FOLDER), { recursive: true, force: true });
}
