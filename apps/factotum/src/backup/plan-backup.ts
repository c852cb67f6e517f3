import { existsSync } from "node:fs";
import { readdir, realpath, stat } from "node:fs/promises";
import { basename, extname, isAbsolute, join, relative, sep } from "node:path";
import { secretFiles, type LoadedConfig, type StatePaths } from "@factotum/config";
import { isTemporaryName } from "../compose/remove-temporary-files.ts";
import type { BackupWorkspace, LeftOut } from "./manifest.ts";
import type { WalkOptions } from "./walk-folder.ts";

/** The sources of a backup. */
export interface BackupPlan extends WalkOptions {
  /** Folders to walk, and their paths in the backup. */
  readonly folders: readonly { readonly folder: string; readonly path: string }[];
  /** Single files from other places. */
  readonly files: readonly { readonly file: string; readonly path: string }[];
  readonly workspaces: readonly BackupWorkspace[];
  /** Paths in the configuration that the backup does not contain. */
  readonly leftOut: readonly LeftOut[];
}

/** Default names of archives; archives in a workspace are not backed up again. */
const ARCHIVE = /^factotum-backup-.*\.tar\.gz$/;
/** The folder in which an archive is written. */
export const WORK_FOLDER_PREFIX = ".factotum-backup-";
/** Possible names of the configuration in the state directory. */
const CONFIG = /^factotum\.(?:json5|json|yaml|yml)$/;
/** The backed-up part of the state folder: the rest is rebuilt, belongs to a process, or is a copy of the database. */
const STATE = /^state(?:\/damage\.json|\/attachments(?:\/.*)?)?$/;
/** Earlier configurations, which may contain secrets that were moved since. */
const EARLIER_CONFIG = /^state\/(?:config-versions(?:\/|$)|config\.last-good\.)/;

/** Decides what a backup contains: the state directory without logs and caches, and all workspaces. */
export async function planBackup(loaded: LoadedConfig, { secrets }: { readonly secrets: boolean }): Promise<BackupPlan> {
  const { config, paths, path: configPath, written } = loaded;
  const { home } = paths;
  const realHome = await realpath(home);
  const inHome = (path: string): string | undefined => pathIn(home, path) ?? pathIn(realHome, path);
  const hasOwnConfig = CONFIG.test(inHome(configPath) ?? "");
  const named = secretFiles(written, paths);
  const skipsHome = (path: string): boolean => {
    const [top = ""] = path.split("/");
    if (top === "state") return !STATE.test(path) && !(secrets && EARLIER_CONFIG.test(path));
    if (top === "credentials") return !secrets;
    return top === "logs" || top.startsWith("reset-") || (!hasOwnConfig && CONFIG.test(path));
  };
  const outer = await outerWorkspaces(loaded, { inHome, realHome });
  return {
    folders: [{ folder: home, path: "" }, ...(await linkedFolders(home, skipsHome)), ...outer.folders],
    files: hasOwnConfig || !existsSync(configPath) ? [] : [{ file: configPath, path: `factotum${endingOf(configPath)}` }],
    workspaces: config.agents.flatMap(({ id, workspace }) => {
      const path = outer.pathOf(workspace) ?? inHome(workspace);
      return path === undefined || path === "" ? [] : [{ agent: id, path, from: workspace }];
    }),
    leftOut: [...outer.leftOut, ...outerPlaces(loaded, secrets ? named : []).filter(({ path }) => inHome(path) === undefined)],
    skips: ({ file }) => {
      const name = basename(file);
      if (isTemporaryName(name) || name.startsWith(WORK_FOLDER_PREFIX) || ARCHIVE.test(name)) return true;
      if (!secrets && named.includes(file)) return true;
      const path = pathIn(home, file);
      return path !== undefined && skipsHome(path);
    },
  };
}

/** A path relative to a folder that contains it, with `/`; empty for the folder itself, `undefined` for other paths. */
export function pathIn(folder: string, path: string): string | undefined {
  const way = relative(folder, path);
  return way === ".." || way.startsWith(`..${sep}`) || isAbsolute(way) ? undefined : way.replaceAll(sep, "/");
}

/** Folders of the state directory that are links to another disk. */
async function linkedFolders(home: string, skips: (path: string) => boolean): Promise<BackupPlan["folders"]> {
  const links = (await readdir(home, { withFileTypes: true })).filter((entry) => entry.isSymbolicLink() && !skips(entry.name));
  const found = await Promise.all(
    links.map(async ({ name }) => {
      const target = await stat(join(home, name)).catch(() => undefined);
      return target?.isDirectory() === true ? [{ folder: join(home, name), path: name }] : [];
    }),
  );
  return found.flat();
}

interface OuterWorkspaces extends Pick<BackupPlan, "folders" | "leftOut"> {
  /** The path of a workspace in the backup; `undefined` for one in the state directory. */
  readonly pathOf: (workspace: string) => string | undefined;
}

/** The workspaces outside of the state directory, which are restored inside it. */
async function outerWorkspaces(
  { config, paths }: LoadedConfig,
  { inHome, realHome }: { readonly inHome: (path: string) => string | undefined; readonly realHome: string },
): Promise<OuterWorkspaces> {
  let parent = "workspaces";
  while (existsSync(join(paths.home, parent))) parent += "-outside";
  const places = new Map<string, string>();
  const leftOut: LeftOut[] = [];
  for (const { id, workspace } of config.agents) {
    const real = await realpath(workspace).catch(() => workspace);
    if (inHome(workspace) !== undefined || inHome(real) !== undefined || places.has(workspace)) continue;
    if (pathIn(real, realHome) === undefined) places.set(workspace, `${parent}/${id}`);
    else leftOut.push({ path: workspace, reason: "this workspace is a folder above the state directory" });
  }
  const folders = [...places].map(([folder, path]) => ({ folder, path }));
  return { folders, leftOut, pathOf: (workspace) => places.get(workspace) };
}

/** Paths in the configuration whose content belongs to the machine or to other software. */
function outerPlaces({ config, paths }: LoadedConfig, secrets: readonly string[]): readonly LeftOut[] {
  const reason = "it is outside of the state directory, and no workspace";
  const roots = config.agents.flatMap(({ sandbox }) => sandbox.workspaceRoot ?? []);
  // The skills of an installed package are in the state directory.
  const skills = config.skills.load.extraDirs.filter((folder) => !isInHome(paths, folder));
  const isInWorkspace = (path: string): boolean => config.agents.some(({ workspace }) => pathIn(workspace, path) !== undefined);
  const notes = config.memory.extraPaths.filter((path) => !isInHome(paths, path) && !isInWorkspace(path));
  return [...new Set([...skills, ...notes, ...roots, ...secrets])].map((path) => ({ path, reason }));
}

function endingOf(path: string): string {
  return CONFIG.test(`factotum${extname(path)}`) ? extname(path) : ".json5";
}

/** True if a path is in the state directory. */
export function isInHome({ home }: Pick<StatePaths, "home">, path: string): boolean {
  return pathIn(home, path) !== undefined;
}
