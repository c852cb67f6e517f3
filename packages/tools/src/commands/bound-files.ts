import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { access, constants, realpath, stat } from "node:fs/promises";
import path from "node:path";
import { pipeline } from "node:stream/promises";
import { isInterpreter, isRunner } from "./runner-programs.ts";
import type { ShellText } from "./shell-text.ts";

/** A file that a command runs, with what it held when it was looked at. */
export interface BoundFile {
  /** Absolute, symbolic links resolved. */
  readonly path: string;
  /** SHA-256 of the content; of a large file its size, inode and times. */
  readonly digest: string;
}

/** The files that a command runs. */
export interface BoundFiles {
  readonly files: readonly BoundFile[];
  /** False if the command may run a file that its text does not name: what it runs is known only when it runs. */
  readonly isComplete: boolean;
}

/** Where the programs of a command are looked for. */
export interface SearchOptions {
  readonly cwd: string;
  /** Folders of programs, as in the variable PATH. */
  readonly searchPath: string;
}

/** Files that programs run without being told their names. */
const PROJECT_FILES: Readonly<Record<string, readonly string[]>> = {
  make: ["GNUmakefile", "makefile", "Makefile"],
  just: ["justfile", ".justfile", "Justfile"],
  rake: ["Rakefile", "rakefile"],
  cargo: ["Cargo.toml", "build.rs"],
  npm: ["package.json"],
  pnpm: ["package.json"],
  yarn: ["package.json"],
  bun: ["package.json"],
};

/** A command that names more is not followed further. */
const MAX_FOLDERS = 16;
const MAX_CANDIDATES = 400;
const MAX_HASHED_BYTES = 32 * 1024 ** 2;

/**
 * The programs that a command runs, and the scripts that it gives to programs which run others (R21). Where it is plain which word is the script, as in
 * `bash build.sh notes.md`, that one counts; with options, wrappers, pipes and code in arguments every file that a word names may be one, in every folder
 * that the text changes to. What a script itself loads is not followed.
 */
export async function boundFiles(text: ShellText, options: SearchOptions): Promise<BoundFiles> {
  if (text.type === "unknown") return { files: [], isComplete: false };
  const commands = text.type === "argv" ? [text.argv] : text.commands;
  const inputs = text.type === "argv" ? [] : text.inputs;
  const programs = await Promise.all(commands.map(async ([name = ""]) => findProgram(name, options)));
  const runners = commands.filter(([name = ""]) => isRunner(name));
  const { folders, isComplete: areFoldersKnown } = foldersOf(commands, options.cwd);
  const isPlain = runners.every(([name = "", script = ""]) => isInterpreter(name) && script !== "" && !script.startsWith("-"));
  // What a program without arguments runs comes from its input: the output of another command, or a file.
  const readsInput = runners.some(([, ...args]) => args.every((arg) => arg.startsWith("-")));
  const words = isPlain
    ? runners.map(([, script = ""]) => script)
    : [...(readsInput ? commands : runners).flat(), ...inputs.map((input) => input ?? "")];
  const named = isPlain ? words : words.flatMap((word) => candidatesIn(word, words.includes("-m")));
  const projects = runners.flatMap(([name = ""]) => PROJECT_FILES[path.basename(name)] ?? []);
  const places = [...folders, ...(projects.length > 0 ? named.map((word) => path.resolve(options.cwd, word)) : [])];
  const candidates = [
    ...programs.flatMap((program) => program ?? []),
    ...(runners.length === 0 ? [] : folders.flatMap((folder) => named.map((word) => path.resolve(folder, word)))),
    ...places.flatMap((place) => projects.map((name) => path.join(place, name))),
  ];
  const found = new Map<string, BoundFile>();
  for (const candidate of new Set(candidates.slice(0, MAX_CANDIDATES))) {
    const bound = await bind(candidate);
    if (bound !== undefined) found.set(bound.path, bound);
  }
  const isKnown = areFoldersKnown && words.every((word) => word !== "") && candidates.length <= MAX_CANDIDATES;
  return {
    files: [...found.values()].toSorted((one, other) => (one.path < other.path ? -1 : 1)),
    isComplete: runners.length === 0 || isKnown,
  };
}

/** The folders that a text changes to, with the one it starts in. */
function foldersOf(
  commands: readonly (readonly string[])[],
  cwd: string,
): { readonly folders: readonly string[]; readonly isComplete: boolean } {
  const folders = [cwd];
  for (const [name = "", ...args] of commands) {
    if (name !== "cd" && name !== "pushd") continue;
    const target = args.findLast((arg) => !arg.startsWith("-")) ?? "";
    if (target === "" || folders.length > MAX_FOLDERS) return { folders, isComplete: false };
    folders.push(...folders.map((folder) => path.resolve(folder, target)));
  }
  return { folders, isComplete: true };
}

/** What may name a file in a word: the word, its parts, the value of an option, and after `-m` a module of Python. */
function candidatesIn(word: string, hasModules: boolean): readonly string[] {
  if (word === "" || word.includes("\0")) return [];
  const parts = new Set([word, ...word.split(/[\s=:,;&|()<>'"`]+/), ...(/^-[^-]/.test(word) ? [word.slice(2)] : [])]);
  parts.delete("");
  const modules = [...parts]
    .filter((part) => hasModules && /^[A-Za-z_][\w.]*$/.test(part))
    .map((part) => part.replaceAll(".", "/"))
    .flatMap((part) => [`${part}.py`, `${part}/__main__.py`]);
  return [...parts, ...modules];
}

/** The file of a program, as the system finds it. */
async function findProgram(name: string, { cwd, searchPath }: SearchOptions): Promise<string | undefined> {
  if (name === "") return undefined;
  if (name.includes("/")) return path.resolve(cwd, name);
  for (const folder of searchPath.split(path.delimiter)) {
    const file = path.resolve(cwd, folder, name);
    const isProgram = await access(file, constants.X_OK).then(
      async () => (await stat(file)).isFile(),
      () => false,
    );
    if (isProgram) return file;
  }
  return undefined;
}

async function bind(file: string): Promise<BoundFile | undefined> {
  try {
    const real = await realpath(file);
    const stats = await stat(real);
    if (!stats.isFile()) return undefined;
    const { size, ino, mtimeMs, ctimeMs } = stats;
    if (size > MAX_HASHED_BYTES) return { path: real, digest: [size, ino, mtimeMs, ctimeMs].join("-") };
    const hash = createHash("sha256");
    await pipeline(createReadStream(real), hash);
    return { path: real, digest: hash.digest("hex") };
  } catch {
    // It does not exist or cannot be read; the command will say so.
    return undefined;
  }
}
