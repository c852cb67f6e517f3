import { realpath } from "node:fs/promises";
import path from "node:path";
import { BOOTSTRAP_NAMES } from "@factotum/agent-core";

/** Where instructions of agents lie. */
export interface InstructionPlaces {
  /** Workspaces of all agents. */
  readonly workspaces: readonly string[];
  /** Skill folders outside the workspaces. */
  readonly skillFolders: readonly string[];
}

/** What later turns treat as instructions: files by their name in a workspace, and everything below a folder of skills. */
const FILES: readonly string[] = BOOTSTRAP_NAMES;
const FOLDERS: readonly string[] = ["skills"];

/**
 * The name of the instruction file that lies at `file`, `undefined` when it is none. `file` is real; a link that stands in the place of an instruction file
 * is followed too. Case does not count, since some file systems ignore it.
 */
export async function findInstructionFile(file: string, { workspaces, skillFolders }: InstructionPlaces): Promise<string | undefined> {
  const folded = fold(file);
  for (const workspace of workspaces) {
    for (const name of FILES) if ((await placesOf(workspace, name)).some((place) => fold(place) === folded)) return name;
  }
  const folders = [
    ...workspaces.flatMap((workspace) => FOLDERS.map((name) => [workspace, name] as const)),
    ...skillFolders.map((folder) => [folder, "."] as const),
  ];
  for (const [base, name] of folders) {
    if ((await placesOf(base, name)).some((place) => folded.startsWith(`${fold(place)}${path.sep}`)))
      return `the skill file ${path.basename(file)}`;
  }
  return undefined;
}

/** Where a name leads: in the real folder, and behind a link there. */
async function placesOf(folder: string, name: string): Promise<readonly string[]> {
  const place = path.join((await realPathIfThere(folder)) ?? folder, name);
  const real = await realPathIfThere(place);
  return real === undefined || real === place ? [place] : [place, real];
}

async function realPathIfThere(file: string): Promise<string | undefined> {
  return realpath(file).catch(() => undefined);
}

function fold(file: string): string {
  return file.normalize("NFC").toUpperCase().toLowerCase();
}
