import { homedir } from "node:os";
import { basename, dirname, join, relative } from "node:path";
import { statSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { loadConfig, type Environment, type StatePaths } from "@factotum/config";
import { placeOfRun } from "@factotum/gateway";
import { configOptions } from "../compose/extensions.ts";
import type { StoppedGateway } from "../compose/with-stopped-store.ts";

/** Where the product keeps what was said. */
export interface ForgetPlaces extends StoppedGateway {
  /** The folders in which sandboxed turns of a session work, if it has them for itself. */
  readonly sandboxesOf: (sessionKey: string) => readonly string[];
}

/** The places of a state directory, by its configuration; with one that cannot be used, the default workspace. */
export async function findForgetPlaces(paths: StatePaths, env: Environment): Promise<ForgetPlaces> {
  const loaded = await loadConfig(await configOptions(env));
  if (loaded.type === "refused") return { paths, agents: [{ id: "main", workspace: paths.workspace }], sandboxesOf: () => [] };
  const { agents } = loaded.config;
  return {
    paths,
    agents: agents.map(({ id, workspace }) => ({ id, workspace })),
    sandboxesOf: (sessionKey) => {
      const folders = agents.map((agent) => placeOfRun(agent, { owner: false, group: true, sessionKey }, paths.home).folder);
      return [...new Set(folders)].filter((folder) => basename(folder).startsWith("session-"));
    },
  };
}

/** The path of a note relative to its workspace, for people. */
export function shownPath(file: string, { agents }: Pick<ForgetPlaces, "agents">): string {
  const workspace = agents.map((agent) => agent.workspace).find((folder) => file.startsWith(`${folder}/`));
  return workspace === undefined ? file : relative(workspace, file);
}

const ARCHIVE = /^factotum-backup-.*\.tar\.gz$/;
const ASIDE = /^(?:reset-.*|imports)$/;

/** Copies that forgetting does not touch: backups in likely places, what `factotum reset` has moved aside, and state directories next to this one. */
export async function listUntouched({ paths, agents }: ForgetPlaces): Promise<readonly string[]> {
  const { home } = paths;
  const folders = new Set([process.cwd(), homedir(), dirname(home), ...agents.map(({ workspace }) => workspace)]);
  const archives = await Promise.all([...folders].map(async (folder) => namesIn(folder, (name) => ARCHIVE.test(name))));
  const aside = await namesIn(home, (name) => ASIDE.test(name));
  return [...archives.flat(), ...aside, ...(await neighbouringHomes(home))].toSorted();
}

/** Folders next to the state directory that may be earlier state directories: those whose names begin with its own. */
export async function neighbouringHomes(home: string): Promise<readonly string[]> {
  const found = await namesIn(dirname(home), (_name, path) => path.startsWith(`${home}.`) && !path.startsWith(`${home}.restoring-`));
  return found.filter((path) => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true);
}

async function namesIn(folder: string, isWanted: (name: string, path: string) => boolean): Promise<readonly string[]> {
  try {
    const names = await readdir(folder);
    return names.filter((name) => isWanted(name, join(folder, name))).map((name) => join(folder, name));
  } catch (error) {
    // A folder that cannot be read holds no copy that this command could name.
    if (error instanceof Error && "code" in error) return [];
    throw error;
  }
}
