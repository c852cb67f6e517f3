import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";

/** The repository's root directory. */
export const ROOT: string = join(import.meta.dirname, "..");

const GROUPS = ["packages", "extensions", "plugins", "apps"];

/** Every workspace package as its folder relative to the root, sorted: `packages/store`, `extensions/feishu`, … */
export function workspaceFolders(): string[] {
  return GROUPS.filter((group) => existsSync(join(ROOT, group)))
    .flatMap((group) => readdirSync(join(ROOT, group)).map((name) => `${group}/${name}`))
    .filter((folder) => existsSync(join(ROOT, folder, "package.json")))
    .sort();
}
