import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { packageFiles } from "./package-files.ts";
import { readTemplate, type Transport } from "./read-template.ts";
import { clashIn, createRenamer, nameProblem } from "./template-names.ts";

/** Name of the sample platform in the template. */
const PLACEHOLDER = "sample-chat";

/** Files of the repository's build, which a package of its own replaces. */
const REPLACED: ReadonlySet<string> = new Set(["package.json", "tsconfig.json", "tsconfig.test.json", "tsdown.config.ts"]);

/** A refusal, as text for the person. Nothing was written. */
export class CreateError extends Error {
  override readonly name = "CreateError";
}

/** Where a channel is written, and from what. */
export interface CreateOptions {
  /** The folder in which the package's folder is made. */
  readonly parent: string;
  /** The folder of the template; those of the transports are its siblings. */
  readonly template: string;
  /** How events reach the channel. */
  readonly transport: Transport;
  /** Versions of the packages that it uses, as they are written in package.json. */
  readonly versions: Readonly<Record<string, string>>;
  /** Ids of the channels that the product has; another channel with one of them would not be loaded. */
  readonly builtIn: readonly string[];
}

/**
 * Writes a channel as a package of its own and returns its folder. Throws a `CreateError`, before anything is written, for a name that cannot work and for a
 * folder that exists.
 */
export function createChannel(name: string, { parent, template, transport, versions, builtIn }: CreateOptions): string {
  const problem = nameProblem(name);
  if (problem !== undefined) throw new CreateError(problem);
  if (builtIn.includes(name)) throw new CreateError(`"${name}" cannot be a name: Factotum has a channel with this name. Choose another.`);
  const folder = join(parent, name);
  if (existsSync(folder)) throw new CreateError(`${folder} exists already. Nothing was written.`);
  const texts = readTemplate(template, transport);
  const manifest = JSON.parse(texts.get("package.json") ?? "{}") as Readonly<Record<string, unknown>>;
  const files = new Map([...[...texts].filter(([file]) => !REPLACED.has(file)), ...Object.entries(packageFiles(manifest, versions))]);
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
