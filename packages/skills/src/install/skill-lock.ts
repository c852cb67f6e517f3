import { randomUUID } from "node:crypto";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { SkillInstallError } from "./install-error.ts";

const FILE_NAME = "skills-lock.json";
const VERSION = 1;

/** An installed skill. */
export interface LockedSkill {
  readonly name: string;
  /** As it was written. */
  readonly source: string;
  /** The folder in the source; empty for its root. */
  readonly path: string;
  /** The commit, for a git repository. */
  readonly commit?: string;
  /** Of `hashFolder`. */
  readonly hash: string;
  /** ISO time. */
  readonly installedAt: string;
}

/** The path of the lock file of a folder of skills. */
export function lockPath(folder: string): string {
  return join(folder, FILE_NAME);
}

/** The installed skills of a folder, by name; empty without a lock file. Rejects with a SkillInstallError for an unusable one. */
export async function readLock(folder: string): Promise<ReadonlyMap<string, LockedSkill>> {
  const path = lockPath(folder);
  try {
    const value: unknown = JSON.parse(await readFile(path, "utf8"));
    if (!isLock(value)) throw new SyntaxError("not a list of skills");
    return new Map(value.skills.map((skill) => [skill.name, skill]));
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return new Map();
    if (!(error instanceof SyntaxError)) throw error;
    throw new SkillInstallError(`${path} cannot be read (${error.message}).`, {
      fix: "Restore it from a backup, or remove it: then the skills stay, and count as written by hand.",
      cause: error,
    });
  }
}

/** Replaces the lock file atomically. */
export async function writeLock(folder: string, skills: ReadonlyMap<string, LockedSkill>): Promise<void> {
  const path = lockPath(folder);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const sorted = [...skills.values()].toSorted((one, other) => (one.name < other.name ? -1 : 1));
  const temporary = `${path}.${randomUUID()}`;
  try {
    await writeFile(temporary, `${JSON.stringify({ version: VERSION, skills: sorted }, null, 2)}\n`, { mode: 0o600, flag: "wx" });
    await rename(temporary, path);
  } finally {
    await rm(temporary, { force: true });
  }
}

function isLock(value: unknown): value is { readonly skills: readonly LockedSkill[] } {
  if (typeof value !== "object" || value === null || !("version" in value) || value.version !== VERSION) return false;
  return "skills" in value && Array.isArray(value.skills) && value.skills.every((skill: unknown) => isLockedSkill(skill));
}

function isLockedSkill(value: unknown): value is LockedSkill {
  if (typeof value !== "object" || value === null) return false;
  const fields = value as Readonly<Record<string, unknown>>;
  return ["name", "source", "path", "hash", "installedAt"].every((key) => typeof fields[key] === "string");
}
