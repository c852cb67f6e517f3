import { execFileSync, spawn } from "node:child_process";
import {
  appendFileSync,
  copyFileSync,
  cpSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, relative } from "node:path";
import { trackedFiles } from "../source/tracked-files.ts";
import { ROOT, workspaceFolders } from "../workspace.ts";

/** What the gates said of the copy. */
export interface GatesOutcome {
  readonly failed: readonly string[];
  readonly output: string;
}

/**
 * The working tree in a temporary folder, as a git repository of its own with one commit, and with an installation of its own.
 * What the compiler and the task runner know already is taken along, so that a run costs what the change costs.
 */
export class RepositoryCopy {
  readonly root: string = mkdtempSync(join(tmpdir(), "factotum-gates-"));
  readonly #links: string[] = [];

  constructor() {
    for (const file of trackedFiles()) this.#take(file);
    this.#copyInstallation();
    for (const folder of ["", ...workspaceFolders()]) this.#takeFolder(join(folder, ".tsc"));
    this.git("init", "--quiet");
    this.git("add", "--all");
    this.git("commit", "--quiet", "--message", "Copy");
  }

  read(file: string): string {
    return readFileSync(join(this.root, file), "utf8");
  }

  write(file: string, text: string): void {
    mkdirSync(dirname(join(this.root, file)), { recursive: true });
    writeFileSync(join(this.root, file), text);
  }

  append(file: string, text: string): void {
    appendFileSync(join(this.root, file), text);
  }

  /** Replaces what must be there. */
  replace(file: string, before: string | RegExp, after: string): void {
    const text = this.read(file);
    const replaced = text.replace(before, after);
    if (replaced === text) throw new Error(`${file} holds no ${String(before)}: adapt the violation to the file.`);
    this.write(file, replaced);
  }

  /** Makes `folder` depend on the workspace package in `target`, as the package manager and the compiler would have it. */
  depend(folder: string, target: string): void {
    const name = `@factotum/${target.split("/")[1]}`;
    const manifest = JSON.parse(this.read(`${folder}/package.json`)) as { dependencies?: Record<string, string> };
    manifest.dependencies = { ...manifest.dependencies, [name]: "workspace:*" };
    this.write(`${folder}/package.json`, `${JSON.stringify(manifest, null, 2)}\n`);
    const project = JSON.parse(this.read(`${folder}/tsconfig.json`)) as { references?: { path: string }[] };
    project.references = [...(project.references ?? []), { path: relative(folder, target) }];
    this.write(`${folder}/tsconfig.json`, `${JSON.stringify(project, null, 2)}\n`);
    this.#link(`${folder}/node_modules/${name}`, join(this.root, target));
    execFileSync("oxfmt", [`${folder}/package.json`, `${folder}/tsconfig.json`], { cwd: this.root, env: this.#environment() });
  }

  /** Links what the manifest of a new package names: a sibling from the copy, everything else as another package has it. */
  install(folder: string): void {
    const manifest = JSON.parse(this.read(`${folder}/package.json`)) as Record<
      "dependencies" | "devDependencies",
      Record<string, string> | undefined
    >;
    for (const [name, version] of Object.entries({ ...manifest.dependencies, ...manifest.devDependencies })) {
      const from = version.startsWith("workspace:") ? this.#folderOf(name) : this.#installed(name);
      this.#link(`${folder}/node_modules/${name}`, from);
    }
  }

  /** Runs gates and waits for them; the unit tests are those of one package. */
  gates(names: readonly string[], project: string): Promise<GatesOutcome> {
    const child = spawn(process.execPath, ["scripts/gates.ts", "--project", project, ...names], {
      cwd: this.root,
      env: this.#environment(),
      stdio: ["ignore", "pipe", "pipe"],
    });
    let output = "";
    const keep = (chunk: Buffer): void => void (output += chunk.toString("utf8"));
    child.stdout.on("data", keep);
    child.stderr.on("data", keep);
    return new Promise((resolve, reject) => {
      child.once("error", reject);
      child.once("close", (code) => {
        // The last such line is the gates' own; a tool in between may have a word of this kind, too.
        const failed = [...output.matchAll(/^Failed: (.*)$/gm)].at(-1)?.[1]?.split(", ") ?? [];
        if ((code === 0) !== (failed.length === 0))
          reject(new Error(`The gates ended with ${code} and named ${failed.length} failures:\n${output}`));
        else resolve({ failed, output });
      });
    });
  }

  run(...args: readonly string[]): string {
    return execFileSync(process.execPath, args, {
      cwd: this.root,
      env: this.#environment(),
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
    });
  }

  /** Back to the commit. */
  reset(): void {
    for (const link of this.#links.splice(0)) rmSync(link, { force: true });
    this.git("checkout", "--quiet", "--", ".");
    this.git("clean", "--quiet", "--force", "-d");
    // What is ignored stays through a clean, and so would the folder of a package that was made for one attempt.
    const known = workspaceFolders();
    for (const group of ["packages", "extensions", "apps"]) {
      const made = readdirSync(join(this.root, group)).filter((name) => !known.includes(`${group}/${name}`));
      for (const name of made) rmSync(join(this.root, group, name), { recursive: true, force: true });
    }
  }

  remove(): void {
    rmSync(this.root, { recursive: true, force: true });
  }

  git(...args: readonly string[]): string {
    const identity = ["-c", "user.name=gates", "-c", "user.email=gates@localhost", "-c", "commit.gpgsign=false", "-c", "gc.auto=0"];
    return execFileSync("git", [...identity, ...args], { cwd: this.root, encoding: "utf8" });
  }

  #environment(): NodeJS.ProcessEnv {
    const path = [dirname(process.execPath), join(this.root, "node_modules/.bin"), process.env["PATH"] ?? ""].join(delimiter);
    return { ...process.env, PATH: path, CI: "true", TURBO_CACHE_DIR: join(ROOT, ".turbo/cache"), NO_COLOR: "1" };
  }

  #take(file: string): void {
    mkdirSync(dirname(join(this.root, file)), { recursive: true });
    copyFileSync(join(ROOT, file), join(this.root, file));
  }

  #takeFolder(folder: string): void {
    if (existsSync(join(ROOT, folder))) cpSync(join(ROOT, folder), join(this.root, folder), { recursive: true });
  }

  /**
   * The installation, folder by folder: what a tool might write to is the copy's own, and links lead to the copy's own siblings. Only
   * the files of packages are shared, which nothing writes to.
   */
  #copyInstallation(): void {
    const isCache = (name: string): boolean => name.startsWith(".") && name !== ".bin" && name !== ".pnpm";
    for (const folder of ["", ...workspaceFolders()].map((one) => join(one, "node_modules"))) {
      if (!existsSync(join(ROOT, folder))) continue;
      for (const name of readdirSync(join(ROOT, folder)).filter((one) => !isCache(one))) this.#copyTree(join(folder, name));
    }
  }

  #copyTree(path: string): void {
    const from = join(ROOT, path);
    const to = join(this.root, path);
    const stat = lstatSync(from);
    if (stat.isSymbolicLink()) {
      mkdirSync(dirname(to), { recursive: true });
      symlinkSync(readlinkSync(from), to);
    } else if (stat.isDirectory()) {
      mkdirSync(to, { recursive: true });
      for (const name of readdirSync(from)) this.#copyTree(join(path, name));
    } else if (/(^|\/)node_modules\/\.pnpm\/[^/]+\//.test(path) && !path.includes("/.bin/")) {
      linkOrCopy(from, to);
    } else {
      copyFileSync(from, to);
    }
  }

  #link(path: string, target: string): void {
    const link = join(this.root, path);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(target, link);
    this.#links.push(link);
  }

  #folderOf(name: string): string {
    const folder = workspaceFolders().find((one) => one.split("/")[1] === name.replace("@factotum/", ""));
    if (folder === undefined) throw new Error(`No workspace package is named ${name}.`);
    return join(this.root, folder);
  }

  #installed(name: string): string {
    const found = ["", ...workspaceFolders()].map((folder) => join(ROOT, folder, "node_modules", name)).find((path) => existsSync(path));
    if (found === undefined) throw new Error(`No package of the workspace has ${name} installed.`);
    return found;
  }
}

function linkOrCopy(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch (error) {
    // The temporary folder is on another disk.
    if (!(error instanceof Error && "code" in error && error.code === "EXDEV")) throw error;
    copyFileSync(from, to);
  }
}
