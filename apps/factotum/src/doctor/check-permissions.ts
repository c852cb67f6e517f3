import { chmod, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { makeFolder, type StatePaths } from "@factotum/config";
import { ok, type Finding } from "./finding.ts";

/** The state directory and every file with a secret in it must be private to the user. */
export async function checkPermissions(paths: StatePaths, configPath: string): Promise<Finding[]> {
  const home = await modeOf(paths.home);
  if (home === undefined) {
    const repair = (): Promise<void> => makeFolder(paths.home);
    return [{ check: "home", level: "warning", message: `${paths.home} is not there yet.`, fix: 'Make it with "factotum setup".', repair }];
  }
  const places: [string, string][] = [
    ["home", paths.home],
    ["credentials", paths.credentialsFolder],
    ["gateway-token", paths.gatewayTokenFile],
    ["config-permissions", configPath],
    ["database", join(paths.stateFolder, "factotum.sqlite")],
  ];
  const keys = (await filesIn(paths.credentialsFolder)).filter((file) => file !== paths.gatewayTokenFile);
  const findings = await Promise.all(places.map(([check, path]) => checkPrivate(check, path)));
  const open = (await Promise.all(keys.map((file) => checkPrivate("credentials", file)))).filter((finding) => finding?.level !== "ok");
  return [...findings, ...open].filter((finding) => finding !== undefined);
}

async function checkPrivate(check: string, path: string): Promise<Finding | undefined> {
  const mode = await modeOf(path);
  if (mode === undefined) return undefined;
  const wanted = mode.isFolder ? "700" : "600";
  if ((mode.bits & 0o077) === 0) return ok(check, `${path} is private`);
  return {
    check,
    level: "warning",
    message: `Other users of this machine can open ${path} (mode ${mode.bits.toString(8)}).`,
    fix: `chmod ${wanted} ${JSON.stringify(path)}`,
    repair: () => chmod(path, mode.bits & (mode.isFolder ? 0o700 : 0o600)),
  };
}

/** The files of a folder and of those in it; none if it does not exist. Links are left out: their targets may belong to other programs. */
async function filesIn(folder: string): Promise<readonly string[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true, recursive: true });
    return entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}

async function modeOf(path: string): Promise<{ readonly bits: number; readonly isFolder: boolean } | undefined> {
  try {
    const stats = await stat(path);
    return { bits: stats.mode & 0o777, isFolder: stats.isDirectory() };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
