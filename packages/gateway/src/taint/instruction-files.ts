import path from "node:path";
import { BOOTSTRAP_NAMES } from "@factotum/agent-core";
import { foldPath, realPlaces } from "./real-places.ts";

/** The locations of agents' instructions. */
export interface InstructionPlaces {
  readonly agents: readonly { readonly id: string; readonly workspace: string }[];
  /** Skill folders outside the workspaces. */
  readonly skillFolders: readonly string[];
}

/** Instructions for later turns: files by their name in a workspace, everything below a folder of skills or slash commands, and the files of Git repositories. */
const FILES: readonly string[] = BOOTSTRAP_NAMES;
const FOLDERS: Readonly<Record<string, string>> = { skills: "skill", ".agents/skills": "skill", commands: "command" };

/** Its configuration and hooks name commands that `git status` runs. */
const GIT = /\/\.git(?:\/|$)/;

/**
 * The name of the instruction file at `file`, `undefined` if it is not one. `file` is a real path; a link in place of an instruction file is followed too.
 * Case-insensitive, like some file systems.
 */
export async function findInstructionFile(file: string, { agents, skillFolders }: InstructionPlaces): Promise<string | undefined> {
  const folded = foldPath(file);
  if (GIT.test(folded)) return `the Git file ${path.basename(file)}`;
  for (const { workspace } of agents) {
    for (const name of FILES) if ((await realPlaces(workspace, name)).some((place) => foldPath(place) === folded)) return name;
  }
  const folders = [
    ...agents.flatMap(({ workspace }) => Object.entries(FOLDERS).map(([name, kind]) => [workspace, name, kind] as const)),
    ...skillFolders.map((folder) => [folder, ".", "skill"] as const),
  ];
  for (const [base, name, kind] of folders) {
    if ((await realPlaces(base, name)).some((place) => folded.startsWith(`${foldPath(place)}${path.sep}`)))
      return `the ${kind} file ${path.basename(file)}`;
  }
  return undefined;
}
