import { accessSync, constants, readFileSync, realpathSync, statSync } from "node:fs";
import { delimiter, dirname, isAbsolute, join, relative, resolve } from "node:path";
import { isObject } from "./is-object.ts";
import type { KnownServer } from "./known-servers.ts";
import type { ServerProgram } from "./server-settings.ts";

/** Where programs are looked for. */
export interface ProgramPlaces {
  /** Folders, as in `PATH`. Those in the workspace count only if its programs may be run. */
  readonly searchPath: string;
  readonly workspace: string;
  /** Programs of the workspace may be run; its `node_modules/.bin` comes first then. */
  readonly workspacePrograms: boolean;
}

const PACKAGE_DEPTH = 4;

/** The first of the programs that is installed, by its absolute path. */
export function findProgram(
  programs: KnownServer["programs"],
  { searchPath, workspace, workspacePrograms }: ProgramPlaces,
): ServerProgram | undefined {
  const folders = searchPath.split(delimiter).filter((folder) => isAbsolute(folder) && (workspacePrograms || !isWithin(workspace, folder)));
  const all = workspacePrograms ? [join(workspace, "node_modules", ".bin"), ...folders] : folders;
  for (const { command, args, minMajor } of programs)
    for (const folder of all) {
      const path = join(folder, command);
      if (isProgram(path) && (workspacePrograms || !isWithin(workspace, realpathSync(path))) && isNewEnough(path, minMajor))
        return { command: path, args };
    }
  return undefined;
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** By the manifest of the npm package around the program, or around the one that a launcher of pnpm starts. */
function isNewEnough(path: string, minMajor: number | undefined): boolean {
  if (minMajor === undefined) return true;
  let folder = dirname(launchedBy(path) ?? realpathSync(path));
  for (let depth = 0; depth < PACKAGE_DEPTH; depth += 1) {
    const version = versionIn(folder);
    if (version !== undefined) return Number.parseInt(version, 10) >= minMajor;
    folder = dirname(folder);
  }
  return false;
}

function launchedBy(path: string): string | undefined {
  const { size } = statSync(path);
  const text = size > 10_000 ? "" : readFileSync(path, "utf8");
  // pnpm 12 names the target in a line of its own; earlier ones have it in the call alone.
  const [, target] = /^# cmd-shim-target=(.+)$/m.exec(text) ?? /"\$basedir\/([^"]+)" +"\$@"/.exec(text) ?? [];
  return target === undefined ? undefined : resolve(dirname(path), target);
}

function versionIn(folder: string): string | undefined {
  try {
    const manifest: unknown = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    return isObject(manifest) && typeof manifest["version"] === "string" ? manifest["version"] : undefined;
  } catch {
    return undefined;
  }
}

function isWithin(folder: string, path: string): boolean {
  const below = relative(folder, path);
  return below === "" || (!below.startsWith("..") && !isAbsolute(below));
}
