import { lstat } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { parseSkill, type SkillFile } from "../skill-file/parse-skill.ts";
import { readSkillFile } from "./read-skill-file.ts";

/** Cached files; beyond that the cache is cleared. */
const MAX_REMEMBERED = 2_000;

/** A cache of parsed SKILL.md files. An unchanged one is not read again: every new session needs all of them. */
export class SkillFiles {
  readonly #known = new Map<string, { readonly stamp: string; readonly skill: SkillFile }>();

  /** The parsed file. Throws a SkillFileError if it is unusable; it is then read again the next time. */
  async read(path: string): Promise<SkillFile> {
    const stamp = await stampOf(path);
    const known = this.#known.get(path);
    if (known?.stamp === stamp) return known.skill;
    const skill = await parseSkill(await readSkillFile(path), basename(dirname(path)));
    if (this.#known.size >= MAX_REMEMBERED) this.#known.clear();
    this.#known.set(path, { stamp, skill });
    return skill;
  }
}

/** Cannot be forged by a writer: the inode's change time is set by the kernel. */
async function stampOf(path: string): Promise<string> {
  const { dev, ino, size, mtimeNs, ctimeNs } = await lstat(path, { bigint: true });
  return [dev, ino, size, mtimeNs, ctimeNs].join(" ");
}
