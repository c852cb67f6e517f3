import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { packageFiles } from "./package-files.ts";

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
}

/**
 * Writes a channel as a package of its own and returns its folder. Throws a `CreateError`, before anything is written, for an invalid name and for a folder that
 * exists.
 */
export function createChannel(name: string, { parent, template, versions }: CreateOptions): string {
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name) || name.length > 40)
    throw new CreateError(`"${name}" is no name for a channel: lower-case words joined by dashes, at most 40 characters, such as my-chat.`);
  const folder = join(parent, name);
  if (existsSync(folder)) throw new CreateError(`${folder} exists already. Nothing was written.`);
  const rename = renamer(name);
  const copied = filesOf(template).filter((file) => !REPLACED.has(file));
  const files = new Map([
    ...copied.map((file) => [rename(file), rename(readFileSync(join(template, file), "utf8"))] as const),
    ...Object.entries(packageFiles(readManifest(template), versions)).map(([file, text]) => [file, rename(text)] as const),
  ]);
  for (const [file, text] of files) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  }
  return folder;
}

function readManifest(template: string): Readonly<Record<string, unknown>> {
  const built = join(template, "manifest.json");
  return JSON.parse(readFileSync(existsSync(built) ? built : join(template, "package.json"), "utf8")) as Record<string, unknown>;
}

/** Replaces the sample's name in each spelling. The scope of the product's own packages is not for others. */
function renamer(name: string): (text: string) => string {
  const [from, to] = [spellings(PLACEHOLDER), spellings(name)];
  const pairs = from.map((spelling, index): [string, string] => [spelling, to[index] ?? name]);
  const all: readonly [string, string][] = [[`@factotum/${PLACEHOLDER}`, `factotum-channel-${name}`], ...pairs];
  return (text) => all.reduce((renamed, [before, after]) => renamed.replaceAll(before, after), text);
}

function spellings(kebab: string): readonly string[] {
  const words = kebab.split("-");
  const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);
  const pascal = words.map(capital).join("");
  return [kebab, pascal, pascal.charAt(0).toLowerCase() + pascal.slice(1), words.join("_").toUpperCase(), words.map(capital).join(" ")];
}

function filesOf(folder: string, inside = ""): string[] {
  return readdirSync(join(folder, inside), { withFileTypes: true }).flatMap((entry) => {
    const path = join(inside, entry.name);
    return entry.isDirectory() ? filesOf(folder, path) : [path];
  });
}
