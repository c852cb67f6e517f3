import { createHash, randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { cp, mkdir, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { writePrivateFile, type Environment, type StatePaths } from "@factotum/config";
import { CliError } from "../runtime/cli-error.ts";
import { holdHome } from "../runtime/hold-home.ts";
import { lockExtensions } from "./lock-extensions.ts";
import { isPackageName } from "./package-name.ts";
import { isSameAddress, type PackageSource } from "./package-source.ts";
import { currentProject, earlierProjects, extensionsFolder } from "./project-folders.ts";
import { runNpm } from "./run-npm.ts";
import { stageBundle } from "./stage-bundle.ts";

interface ProjectFile {
  dependencies: Record<string, string>;
  /** `sources`: the folder or tarball of a package that was copied. */
  factotum: { extensions: string[]; sources?: Record<string, string> };
}

/** What npm needs. */
export interface NpmOptions {
  readonly paths: Pick<StatePaths, "home" | "stateFolder">;
  readonly env: Environment;
  readonly signal: AbortSignal;
}

/**
 * A copy of the installed extensions that is changed and then replaces them at once. It locks them until it is disposed. Disposing it removes what was not
 * activated. Earlier folders stay while a gateway runs: it loads parts of a package on first use, from the folder that it began with. Its next start removes them.
 */
export class StagedProject implements AsyncDisposable {
  readonly folder: string;
  readonly #options: NpmOptions;
  readonly #lock: Disposable;
  readonly #file: ProjectFile;
  #isActive = false;

  private constructor(folder: string, parts: { options: NpmOptions; lock: Disposable; file: ProjectFile }) {
    this.folder = folder;
    this.#lock = parts.lock;
    this.#options = parts.options;
    this.#file = parts.file;
  }

  /** Rejects with a `CliError` while another command has one. */
  static async create(options: NpmOptions): Promise<StagedProject> {
    const lock = await lockExtensions(options.paths);
    try {
      const before = await currentProject(options.paths);
      const folder = join(extensionsFolder(options.paths), `project-${randomUUID()}`);
      await mkdir(join(folder, "packages"), { recursive: true, mode: 0o700 });
      if (before !== undefined && existsSync(before)) await cp(before, folder, { recursive: true, verbatimSymlinks: true });
      return new StagedProject(folder, { options, lock, file: await readProjectFile(folder) });
    } catch (error) {
      lock[Symbol.dispose]();
      throw error;
    }
  }

  /** Names of the listed packages. */
  get names(): readonly string[] {
    return this.#file.factotum.extensions;
  }

  packageFolder(name: string): string {
    return join(this.folder, "node_modules", name);
  }

  /** Installs a package and lists it; resolves with its name. */
  async add(source: PackageSource): Promise<string> {
    const name = source.type === "local" ? await this.#addLocal(source.path) : await this.#addRemote(source);
    if (!this.names.includes(name)) this.#file.factotum.extensions.push(name);
    this.#setSource(name, source.type === "local" ? source.path : undefined);
    await this.#save();
    return name;
  }

  async remove(name: string): Promise<void> {
    await this.#load();
    const tarball = this.#file.dependencies[name];
    delete this.#file.dependencies[name];
    this.#file.factotum.extensions = this.names.filter((other) => other !== name);
    this.#setSource(name, undefined);
    if (tarball?.startsWith("file:packages/") === true) await rm(join(this.folder, "packages", basename(tarball)), { force: true });
    await this.#save();
    await this.#install();
  }

  /** Replaces the installed extensions. */
  async activate(): Promise<void> {
    const { paths } = this.#options;
    await writePrivateFile(join(extensionsFolder(paths), "current"), `${basename(this.folder)}\n`);
    this.#isActive = true;
    const unused = await holdHome(paths);
    if (unused === undefined) return;
    // A gateway that starts from now on loads the new folder.
    unused[Symbol.dispose]();
    for (const folder of await earlierProjects(paths)) await rm(folder, { recursive: true, force: true });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      if (!this.#isActive) await rm(this.folder, { recursive: true, force: true });
    } finally {
      this.#lock[Symbol.dispose]();
    }
  }

  async #addLocal(path: string): Promise<string> {
    const staging = await mkdtemp(join(tmpdir(), "factotum-bundle-"));
    try {
      return await this.#addFolder((await stageBundle(path, staging)) ?? path);
    } finally {
      await rm(staging, { recursive: true, force: true });
    }
  }

  async #addFolder(path: string): Promise<string> {
    await checkFolderName(path);
    const packages = join(this.folder, "packages");
    const output = await this.#npm(["pack", path, "--json", "--pack-destination", packages]);
    const [packed] = JSON.parse(output) as readonly { readonly name: string; readonly filename: string }[];
    if (packed === undefined) throw new CliError("failure", `${path} is no package.`);
    if (!isPackageName(packed.name)) throw invalidName();
    const before = this.#file.dependencies[packed.name];
    if (before?.startsWith("file:") === true) await rm(join(packages, basename(before)), { force: true });
    // Named by its content: the lock file has the integrity of each name.
    const hash = createHash("sha256")
      .update(await readFile(join(packages, packed.filename)))
      .digest("hex");
    const file = packed.filename.replace(/\.tgz$/, `-${hash.slice(0, 12)}.tgz`);
    await rename(join(packages, packed.filename), join(packages, file));
    this.#file.dependencies[packed.name] = `file:packages/${file}`;
    // npm keeps what is there for a tarball that has not changed, even if its files are damaged.
    await rm(this.packageFolder(packed.name), { recursive: true, force: true });
    await this.#save();
    await this.#install();
    return packed.name;
  }

  async #addRemote(source: Extract<PackageSource, { type: "registry" | "remote" }>): Promise<string> {
    const before = this.#file.dependencies;
    const spec = source.type === "registry" ? `${source.name}@${source.version}` : source.spec;
    // An address can have other content than before.
    await this.#install(spec, "--prefer-online");
    await this.#load();
    const name = source.type === "registry" ? source.name : nameFrom(spec, { before, after: this.#file.dependencies });
    if (name !== undefined && !isPackageName(name)) throw invalidName();
    if (name === undefined) throw new CliError("failure", `npm installed no package from ${spec}.`, { fix: "Nothing was changed." });
    if (source.type === "registry" && source.integrity !== undefined) await this.#checkIntegrity(name, source.integrity);
    return name;
  }

  async #checkIntegrity(name: string, expected: string): Promise<void> {
    const lock = JSON.parse(await readFile(join(this.folder, "package-lock.json"), "utf8")) as {
      readonly packages: Readonly<Record<string, { readonly integrity?: string }>>;
    };
    if (lock.packages[`node_modules/${name}`]?.integrity === expected) return;
    throw new CliError("failure", `The package ${name} is not the one that this release was tested with: its integrity differs.`, {
      fix: "Nothing was changed. Report it, and do not install this package.",
    });
  }

  async #install(...specs: readonly string[]): Promise<void> {
    await this.#npm(["install", ...specs, "--save-exact", "--omit=dev", "--no-bin-links", "--install-links"]);
  }

  async #npm(args: readonly string[]): Promise<string> {
    const { env, signal } = this.#options;
    return runNpm(args, { folder: this.folder, env, signal });
  }

  #setSource(name: string, path: string | undefined): void {
    const { [name]: _, ...others } = this.#file.factotum.sources ?? {};
    this.#file.factotum.sources = path === undefined ? others : { ...others, [name]: path };
  }

  async #load(): Promise<void> {
    const { dependencies } = await readProjectFile(this.folder);
    this.#file.dependencies = dependencies;
  }

  async #save(): Promise<void> {
    await writeFile(join(this.folder, "package.json"), renderProjectFile(this.#file));
  }
}

/** The package that an installation of an address added or replaced. */
function nameFrom(spec: string, { before, after }: Record<"before" | "after", Readonly<Record<string, string>>>): string | undefined {
  const changed = Object.keys(after).find((name) => after[name] !== before[name]);
  return changed ?? Object.keys(after).find((name) => isSameAddress(after[name] ?? "", spec));
}

/** npm derives the name of a file from the package's name: it is checked first. What is no folder with a package.json is left to npm. */
async function checkFolderName(path: string): Promise<void> {
  const file = join(path, "package.json");
  if (!existsSync(file)) return;
  const content: unknown = JSON.parse(await readFile(file, "utf8"));
  const name: unknown = typeof content === "object" && content !== null && "name" in content ? content.name : undefined;
  if (typeof name !== "string" || !isPackageName(name)) throw invalidName();
}

/** The name itself may contain anything, and is not shown. */
function invalidName(): CliError {
  return new CliError("failure", "The package cannot be installed: the name in its package.json is not valid.", {
    fix: "Nothing was changed.",
  });
}

async function readProjectFile(folder: string): Promise<ProjectFile> {
  const path = join(folder, "package.json");
  const empty: ProjectFile = { dependencies: {}, factotum: { extensions: [] } };
  if (existsSync(path)) return { ...empty, ...(JSON.parse(await readFile(path, "utf8")) as Partial<ProjectFile>) };
  await writeFile(path, renderProjectFile(empty));
  return empty;
}

function renderProjectFile({ dependencies, factotum }: ProjectFile): string {
  return `${JSON.stringify({ name: "factotum-extensions", private: true, dependencies, factotum }, null, 2)}\n`;
}
