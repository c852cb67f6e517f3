import { readFile, realpath } from "node:fs/promises";
import { dirname, join, parse } from "node:path";
import { ChannelError } from "@factotum/channel-contract";
import * as z from "zod";

/** The package of an adapter. */
export interface FoundAdapter {
  readonly version: string;
  /** The file to import. */
  readonly entry: string;
}

/** The major version of the Chat SDK whose adapters this channel runs. */
const SDK_MAJOR = "4";
const OWN_NAME = "@factotum/chat-sdk";

const Names = z.record(z.string(), z.string()).default({});
const PackageSchema = z.looseObject({
  name: z.string().optional(),
  version: z.string().default(""),
  exports: z.unknown().optional(),
  main: z.string().optional(),
  dependencies: Names,
  devDependencies: Names,
  optionalDependencies: Names,
  peerDependencies: Names,
});
type PackageFile = z.infer<typeof PackageSchema>;

/**
 * Finds an adapter in the `node_modules` of a folder above `from`, as Node does. Only a package that the folder's own package.json names counts: what another package
 * brought with it was not chosen by the owner. Rejects with a ChannelError that says what to do.
 */
export async function findAdapter(name: string, from: string): Promise<FoundAdapter> {
  let isUnlisted = false;
  for (const project of foldersAbove(from)) {
    const folder = join(project, "node_modules", name);
    const adapter = await readPackage(folder);
    if (adapter === undefined) continue;
    if (isListed(name, await readPackage(project))) return describe(name, folder, adapter);
    isUnlisted = true;
  }
  const advice = `install it with: npm install --save-exact --prefix ${await installFolder(from)} ${name}`;
  throw refusal(
    isUnlisted
      ? `the adapter ${name} was brought by another package and not chosen by you; ${advice}`
      : `the adapter ${name} is not installed; ${advice}`,
  );
}

/** A problem that lasts until somebody changes something. */
export function refusal(message: string, cause?: unknown): ChannelError {
  return new ChannelError("rejected", message, { retry: { type: "never" }, ...(cause !== undefined && { cause }) });
}

async function describe(
  name: string,
  folder: string,
  { version, dependencies, peerDependencies, exports, main }: PackageFile,
): Promise<FoundAdapter> {
  const range = dependencies["chat"] ?? peerDependencies["chat"];
  if (range === undefined) throw refusal(`the package ${name} is no adapter of the Chat SDK: it does not depend on the package chat`);
  const major = /\d+/.exec(range)?.[0];
  if (major !== SDK_MAJOR)
    throw refusal(`the adapter ${name} ${version} is made for version ${range} of the Chat SDK; install a version for ${SDK_MAJOR}.x`);
  const entry = entryOf(exports) ?? main;
  if (entry === undefined) throw refusal(`the adapter ${name} ${version} has no entry that can be imported; report it to its authors`);
  return { version, entry: join(await realpath(folder), entry) };
}

/** The file of `import`, by the first condition that Node takes. */
function entryOf(exports: unknown): string | undefined {
  if (typeof exports === "string") return exports;
  if (typeof exports !== "object" || exports === null) return undefined;
  for (const [key, value] of Object.entries(exports)) {
    const entry = [".", "import", "node", "module-sync", "default"].includes(key) ? entryOf(value) : undefined;
    if (entry !== undefined) return entry;
  }
  return undefined;
}

function isListed(name: string, project: PackageFile | undefined): boolean {
  if (project === undefined) return false;
  return [project.dependencies, project.devDependencies, project.optionalDependencies].some((list) => Object.hasOwn(list, name));
}

/** The folder above all installed extensions, which stays when they change; in another deployment its project. */
async function installFolder(from: string): Promise<string> {
  for (const project of foldersAbove(from)) {
    if ((await readPackage(join(project, "node_modules", OWN_NAME))) === undefined) continue;
    return /[\\/]extensions[\\/]project-[\w-]+$/.test(project) ? dirname(project) : project;
  }
  return dirname(from);
}

function foldersAbove(from: string): readonly string[] {
  const folders: string[] = [];
  for (let folder = from; folder !== parse(folder).root; folder = dirname(folder)) folders.push(folder);
  return folders;
}

async function readPackage(folder: string): Promise<PackageFile | undefined> {
  try {
    return PackageSchema.safeParse(JSON.parse(await readFile(join(folder, "package.json"), "utf8"))).data;
  } catch (error) {
    if (error instanceof SyntaxError || ["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "")) return undefined;
    throw error;
  }
}
