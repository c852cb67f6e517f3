import { lstat } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { parseSkill, type SkillFile } from "../skill-file/parse-skill.ts";
import { readSkillFile } from "./read-skill-file.ts";

/** Files that are remembered; more begin anew. */
const MAX_REMEMBERED = 2_000;

/** SKILL.md files as they were read last. One that has not been written since is not read again: every new session asks for all of them. */
export class SkillFiles {
  readonly #known = new Map<string, { readonly stamp: string; readonly skill: SkillFile }>();

  /** What the file says. Throws a SkillFileError for one that cannot be used; then it is read again the next time. */
  async read(path: string): Promise<SkillFile> {
    const stamp = await stampOf(path);
    const known = this.#known.get(path);
    if (known?.stamp === stamp) return known.skill;
    const skill = parseSkill(await readSkillFile(path), basename(dirname(path)));
    if (this.#known.size >= MAX_REMEMBERED) this.#known.clear();
    this.#known.set(path, { stamp, skill });
    return skill;
  }
}

/** What no writer can leave as it was: the time of the inode's last change is the kernel's. */
async function stampOf(path: string): Promise<string> {
  const { dev, ino, size, mtimeNs, ctimeNs } = await lstat(path, { bigint: true });
  return [dev, ino, size, mtimeNs, ctimeNs].join(" ");
}
