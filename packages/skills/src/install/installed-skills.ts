import { randomUUID } from "node:crypto";
import { lstat, mkdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { withoutUndefined } from "@factotum/agent-contract";
import { hashFolder } from "./hash-folder.ts";
import { SkillInstallError } from "./install-error.ts";
import { readLock, writeLock, type LockedSkill } from "./skill-lock.ts";
import type { StagedSkill } from "./stage-skill.ts";

/** The facts of an installation. */
export interface InstallFacts {
  /** The source as it was written. */
  readonly source: string;
  readonly nowMs: number;
  /** Replace an installed skill of this name. */
  readonly replaces: boolean;
}

/** Moves a staged skill to its place and pins it in the lock file. Rejects with a SkillInstallError if the name is taken; then nothing has changed. */
export async function installStaged(folder: string, staged: StagedSkill, { source, nowMs, replaces }: InstallFacts): Promise<LockedSkill> {
  const { name } = staged.skill;
  const target = join(folder, name);
  const lock = new Map(await readLock(folder));
  const isThere = await exists(target);
  if (isThere && !lock.has(name))
    throw new SkillInstallError(`There is a skill ${name} in ${folder} that was not installed by this command.`, {
      fix: `Move it away first: ${target}`,
    });
  if (isThere && !replaces) throw new SkillInstallError(`${name} is installed already.`, { fix: "Add --replace to replace it." });
  const entry: LockedSkill = {
    name,
    source,
    path: staged.path,
    hash: staged.hash,
    installedAt: new Date(nowMs).toISOString(),
    ...withoutUndefined({ commit: staged.commit }),
  };
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const aside = join(folder, `.replaced-${randomUUID()}`);
  if (isThere) await rename(target, aside);
  try {
    await rename(staged.folder, target);
    await writeLock(folder, lock.set(name, entry));
  } catch (error) {
    // Back to what was there.
    await rm(target, { recursive: true, force: true });
    if (isThere) await rename(aside, target);
    throw error;
  }
  await rm(aside, { recursive: true, force: true });
  return entry;
}

/** Removes an installed skill and its pin. Rejects with a SkillInstallError if this command has not installed it. */
export async function removeInstalled(folder: string, name: string): Promise<LockedSkill> {
  const lock = new Map(await readLock(folder));
  const entry = lock.get(name);
  if (entry === undefined)
    throw new SkillInstallError(`${JSON.stringify(name)} was not installed by this command.`, {
      fix: "See `factotum skills list`; a skill that was written by hand is removed by deleting its folder.",
    });
  lock.delete(name);
  await writeLock(folder, lock);
  await rm(join(folder, name), { recursive: true, force: true });
  return entry;
}

/** Whether an installed skill is as it was installed. */
export type PinState = "unchanged" | "changed" | "missing";

/** Compares an installed skill with its pin. */
export async function checkPin(folder: string, { name, hash }: LockedSkill): Promise<PinState> {
  const path = join(folder, name);
  if (!(await exists(path))) return "missing";
  return (await hashFolder(path)) === hash ? "unchanged" : "changed";
}

async function exists(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return false;
    throw error;
  }
}
