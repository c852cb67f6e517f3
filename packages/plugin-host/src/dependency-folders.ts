import { readFile, realpath } from "node:fs/promises";
import { dirname, join } from "node:path";

/** Packages that one plugin may bring. */
const MAX_PACKAGES = 500;

/** The folder of a package, and those of all packages that it depends on, as Node.js finds them. Missing ones are left out: their import says so. */
export async function dependencyFolders(folder: string): Promise<readonly string[]> {
  const found = new Set<string>([await realpath(folder)]);
  for (const one of found) {
    if (found.size > MAX_PACKAGES) throw new Error(`it depends on more than ${MAX_PACKAGES} packages`);
    for (const name of await dependenciesOf(one)) {
      const at = await locate(name, one);
      if (at !== undefined) found.add(at);
    }
  }
  return [...found];
}

async function dependenciesOf(folder: string): Promise<readonly string[]> {
  const manifest = JSON.parse(await readFile(join(folder, "package.json"), "utf8")) as Readonly<Record<string, unknown>>;
  return ["dependencies", "optionalDependencies", "peerDependencies"].flatMap((key) => {
    const listed = manifest[key];
    return typeof listed === "object" && listed !== null ? Object.keys(listed).filter((name) => !name.split("/").includes("..")) : [];
  });
}

async function locate(name: string, from: string): Promise<string | undefined> {
  for (let at = from; ; at = dirname(at)) {
    const candidate = join(at, "node_modules", name);
    const real = await realpath(join(candidate, "package.json")).catch(() => undefined);
    if (real !== undefined) return dirname(real);
    if (dirname(at) === at) return undefined;
  }
}
