import { withoutUndefined } from "@factotum/agent-contract";
import { randomUUID } from "node:crypto";
import { mkdir, rm } from "node:fs/promises";
import { basename, dirname, join, relative } from "node:path";
import { findSkillFiles } from "../discovery/find-skill-files.ts";
import { readSkillFile } from "../discovery/read-skill-file.ts";
import { scanSkill, type SkillFinding } from "../scan/scan-skill.ts";
import { parseSkill, type SkillFile } from "../skill-file/parse-skill.ts";
import { SkillFileError } from "../skill-file/skill-file-error.ts";
import { cloneRepository } from "./clone-repository.ts";
import { hashFolder } from "./hash-folder.ts";
import { SkillInstallError } from "./install-error.ts";
import { readFolder } from "./read-folder.ts";
import { readTar } from "./read-tar.ts";
import type { SkillInstallSource } from "./skill-source.ts";
import { StagedFiles } from "./staged-files.ts";

const MAX_SKILLS = 200;
/** Folders of installed skills have the skill's name. */
const INSTALLABLE_NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

/** Where and how a skill is staged. */
export interface StageOptions {
  /** The folder of installed skills: the staging folder is inside, on the same file system. */
  readonly folder: string;
  /** The skill's folder in the source, if it has several. */
  readonly path?: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
}

/** A skill that was fetched and checked, but not installed. Dispose of it in any case. */
export interface StagedSkill extends AsyncDisposable {
  readonly skill: SkillFile;
  /** Its files. */
  readonly folder: string;
  /** Its folder in the source; empty for the root. */
  readonly path: string;
  readonly commit?: string;
  /** Of `hashFolder`. */
  readonly hash: string;
  readonly findings: readonly SkillFinding[];
}

/** Fetches a skill into a staging folder, parses and scans it. Runs nothing of it. Rejects with a SkillInstallError; then nothing is left. */
export async function stageSkill(source: SkillInstallSource, options: StageOptions): Promise<StagedSkill> {
  // Hidden: the index does not look into it.
  const staging = join(options.folder, `.staging-${randomUUID()}`);
  const remove = async (): Promise<void> => rm(staging, { recursive: true, force: true });
  try {
    const files = join(staging, "files");
    await mkdir(files, { recursive: true, mode: 0o700 });
    const commit = await fetchSource(source, files, staging, options);
    const chosen = await chooseSkill(files, source, options);
    return {
      ...chosen,
      ...withoutUndefined({ commit }),
      hash: await hashFolder(chosen.folder),
      findings: await scanSkill(chosen.folder, options),
      [Symbol.asyncDispose]: remove,
    };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** Resolves with the commit of a repository. */
async function fetchSource(source: SkillInstallSource, files: string, staging: string, options: StageOptions): Promise<string | undefined> {
  const staged = new StagedFiles(files);
  switch (source.type) {
    case "folder":
      await readFolder(source.path, staged, options);
      return undefined;
    case "tar":
      await readTar(source.path, staged, { ...options, isCompressed: source.isCompressed });
      return undefined;
    case "zip":
      await (await import("./read-zip.ts")).readZip(source.path, staged, options);
      return undefined;
    case "git": {
      const clone = join(staging, "clone");
      const commit = await cloneRepository(source, clone, options);
      const below = options.path === undefined ? clone : join(clone, containedPath(options.path));
      await readFolder(below, staged, options).catch((error: unknown) => {
        if (!(error instanceof Error) || !("code" in error)) throw error;
        throw new SkillInstallError(`The repository has no folder ${options.path ?? ""}.`, { fix: "Check --path.", cause: error });
      });
      return commit;
    }
  }
}

async function chooseSkill(
  files: string,
  source: SkillInstallSource,
  { path: wanted, signal }: StageOptions,
): Promise<Pick<StagedSkill, "skill" | "folder" | "path">> {
  const isNarrowed = source.type === "git";
  const root = wanted === undefined || isNarrowed ? files : join(files, containedPath(wanted));
  const { files: found } = await findSkillFiles(root, { maxSkills: MAX_SKILLS, signal });
  const [only, another] = found;
  if (only === undefined)
    throw new SkillInstallError("There is no SKILL.md in it.", {
      fix: "A skill is a folder with a file SKILL.md. If there is one deeper, name its folder with --path.",
    });
  if (another !== undefined) {
    const folders = found.map((file) => relative(files, dirname(file)));
    throw new SkillInstallError(`It has ${found.length} skills: ${folders.slice(0, 20).join(", ")}${folders.length > 20 ? ", …" : ""}.`, {
      fix: "Choose one with --path <folder>.",
    });
  }
  const folder = dirname(only);
  const below = relative(files, folder);
  const path = isNarrowed && wanted !== undefined ? join(containedPath(wanted), below) : below;
  return { skill: await readSkill(only, nameOf(folder, { files, source, wanted })), folder, path: path === "." ? "" : path };
}

/** The name of a skill's folder, as its author has it. */
function nameOf(
  folder: string,
  { files, source, wanted }: { readonly files: string; readonly source: SkillInstallSource; readonly wanted: string | undefined },
): string {
  if (folder !== files) return basename(folder);
  if (wanted !== undefined) return basename(wanted);
  const origin = source.type === "git" ? source.url.replace(/\.git$/, "") : source.path;
  return basename(origin).replace(/\.(?:zip|tgz|tar|tar\.gz)$/i, "");
}

async function readSkill(file: string, folderName: string): Promise<SkillFile> {
  const skill = await parse(file, folderName);
  if (!INSTALLABLE_NAME.test(skill.name))
    throw new SkillInstallError(`Its name ${JSON.stringify(skill.name)} is no name of a skill.`, {
      fix: "Set `name` in its SKILL.md: small letters, digits and single hyphens.",
    });
  return skill;
}

async function parse(file: string, folderName: string): Promise<SkillFile> {
  try {
    return await parseSkill(await readSkillFile(file), folderName);
  } catch (error) {
    if (!(error instanceof SkillFileError)) throw error;
    throw new SkillInstallError(`Its SKILL.md cannot be used: ${error.message}`, { fix: "Nothing was installed.", cause: error });
  }
}

/** A path of the user's that stays in the source. */
function containedPath(path: string): string {
  const segments = path.split("/").filter((segment) => segment !== "" && segment !== ".");
  if (path.startsWith("/") || segments.includes("..") || segments.length === 0)
    throw new SkillInstallError(`--path ${JSON.stringify(path)} is no folder in the source.`, {
      fix: "Give a relative path, such as skills/weather.",
    });
  return segments.join("/");
}
