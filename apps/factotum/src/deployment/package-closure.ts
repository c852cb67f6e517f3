import { existsSync } from "node:fs";
import { readFile, realpath } from "node:fs/promises";
import { dirname, join } from "node:path";
import * as z from "zod";
import { CliError } from "../runtime/cli-error.ts";

/** A package to copy. */
export interface PlacedPackage {
  readonly name: string;
  /** Where it is installed; absolute, without symbolic links. */
  readonly source: string;
  /** Where it belongs, relative to the folder of the deployment. */
  readonly target: string;
}

const PackageSchema = z.object({
  dependencies: z.record(z.string(), z.string()).default({}),
  optionalDependencies: z.record(z.string(), z.string()).default({}),
  peerDependencies: z.record(z.string(), z.string()).default({}),
  peerDependenciesMeta: z.record(z.string(), z.object({ optional: z.boolean().default(false) })).default({}),
});

/**
 * Finds packages and everything that they depend on, where Node would find it, and places all of it in one `node_modules`: each package once at its top, and
 * other versions inside the packages that need them. Rejects with a `CliError` for a dependency that is not installed.
 */
export async function packageClosure(
  roots: readonly { readonly name: string; readonly folder: string }[],
): Promise<readonly PlacedPackage[]> {
  const placed = new Map<string, PlacedPackage>();
  const open: PlacedPackage[] = [];
  const place = (one: PlacedPackage): void => {
    placed.set(one.target, one);
    open.push(one);
  };
  for (const { name, folder } of roots) place({ name, source: await realpath(folder), target: join("node_modules", name) });
  for (let one = open.shift(); one !== undefined; one = open.shift()) {
    for (const { name, isOptional } of await dependenciesOf(one.source)) {
      const source = await installedFolder(name, one.source);
      if (source === undefined) {
        if (isOptional) continue;
        throw new CliError("failure", `${one.name} needs the package ${name}, which is not installed next to it.`, {
          fix: "Install the extension again, or install its dependencies in its folder.",
        });
      }
      const visible = visibleFrom(one.target, name, placed);
      if (visible?.source === source) continue;
      place({ name, source, target: join(visible === undefined ? "node_modules" : join(one.target, "node_modules"), name) });
    }
  }
  return [...placed.values()];
}

async function dependenciesOf(folder: string): Promise<readonly { readonly name: string; readonly isOptional: boolean }[]> {
  const found = PackageSchema.parse(JSON.parse(await readFile(join(folder, "package.json"), "utf8")));
  const { dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta } = found;
  const isOptional = (name: string): boolean =>
    Object.hasOwn(optionalDependencies, name) || (Object.hasOwn(peerDependencies, name) && peerDependenciesMeta[name]?.optional === true);
  return (
    Object.keys({ ...peerDependencies, ...dependencies, ...optionalDependencies })
      // Declarations alone: nothing imports them.
      .filter((name) => !name.startsWith("@types/"))
      .map((name) => ({ name, isOptional: isOptional(name) }))
  );
}

/** Where Node finds a package that a module of `folder` imports. */
async function installedFolder(name: string, folder: string): Promise<string | undefined> {
  for (let at = folder; ; at = dirname(at)) {
    const candidate = join(at, "node_modules", name);
    if (existsSync(join(candidate, "package.json"))) return realpath(candidate);
    if (dirname(at) === at) return undefined;
  }
}

/** The package that a module at `target` would find under this name. */
function visibleFrom(target: string, name: string, placed: ReadonlyMap<string, PlacedPackage>): PlacedPackage | undefined {
  for (let at = target; ; at = at.slice(0, at.lastIndexOf("/node_modules/"))) {
    const found = placed.get(join(at, "node_modules", name));
    if (found !== undefined) return found;
    if (!at.includes("/node_modules/")) return placed.get(join("node_modules", name));
  }
}
