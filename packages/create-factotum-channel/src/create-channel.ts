import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { packageFiles } from "./package-files.ts";
import { clashIn, createRenamer, nameProblem } from "./template-names.ts";

/** Name of the sample platform in the template. */
const PLACEHOLDER = "sample-chat";

/** Files of the repository's build, which a package of its own replaces. */
const REPLACED: ReadonlySet<string> = new Set(["package.json", "manifest.json", "tsconfig.json", "tsconfig.test.json", "tsdown.config.ts"]);

/** A refusal, as text for the person. Nothing was written. */
export class CreateError extends Error {
  override readonly name = "CreateError";
}

/** Where a channel is written, and from what. */
export interface CreateOptions {
  /** The folder in which the package's folder is made. */
  readonly parent: string;
  /** The folder of the template. */
  readonly template: string;
  /** Versions of the packages that it uses, as they are written in package.json. */
  readonly versions: Readonly<Record<string, string>>;
  /** Ids of the channels that the product has; another channel with one of them would not be loaded. */
  readonly builtIn: readonly string[];
}

/**
 * Writes a channel as a package of its own and returns its folder. Throws a `CreateError`, before anything is written, for a name that cannot work and for a
 * folder that exists.
 */
export function createChannel(name: string, { parent, template, versions, builtIn }: CreateOptions): string {
  const problem = nameProblem(name);
  if (problem !== undefined) throw new CreateError(problem);
  if (builtIn.includes(name)) throw new CreateError(`"${name}" cannot be a name: Factotum has a channel with this name. Choose another.`);
  const folder = join(parent, name);
  if (existsSync(folder)) throw new CreateError(`${folder} exists already. Nothing was written.`);
  const copied = filesOf(template).filter((file) => !REPLACED.has(file));
  const files = new Map([
    ...copied.map((file) => [file, readFileSync(join(template, file), "utf8")] as const),
    ...Object.entries(packageFiles(readManifest(template), versions)),
  ]);
  // The scope of the product's own packages is not for others.
  const rename = createRenamer(PLACEHOLDER, name, { [`@factotum/${PLACEHOLDER}`]: `factotum-channel-${name}` });
  for (const text of files.values()) {
    const clash = clashIn(text, rename);
    if (clash !== undefined) throw new CreateError(`"${name}" cannot be a name: the code already uses ${clash}. Choose another.`);
  }
  for (const [file, text] of files) {
    const path = join(folder, rename(file));
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, rename(text));
  }
  return folder;
}

function readManifest(template: string): Readonly<Record<string, unknown>> {
  const built = join(template, "manifest.json");
  return JSON.parse(readFileSync(existsSync(built) ? built : join(template, "package.json"), "utf8")) as Record<string, unknown>;
}

function filesOf(folder: string, inside = ""): string[] {
  return readdirSync(join(folder, inside), { withFileTypes: true }).flatMap((entry) => {
    const path = join(inside, entry.name);
    return entry.isDirectory() ? filesOf(folder, path) : [path];
  });
}
