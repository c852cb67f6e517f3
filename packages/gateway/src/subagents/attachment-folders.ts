import { constants, mkdir, open, realpath, rm, rmdir } from "node:fs/promises";
import path from "node:path";
import type { Logger, SpawnAttachment } from "@factotum/agent-contract";
import { anchorOf, systemCode } from "@factotum/tools";
import { ATTACHMENTS_FOLDER, AttachmentNotes } from "./attachment-notes.ts";

/** Keeps the folder out of the repository that a workspace may be. */
const IGNORED: SpawnAttachment = { name: ".gitignore", data: Buffer.from("*\n") };
const FOLDER_FLAGS = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
const CREATE_FLAGS = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
const REFUSED: Readonly<Record<string, string>> = {
  ENOTDIR: `${ATTACHMENTS_FOLDER} there is no folder. Remove or rename it.`,
  ELOOP: `${ATTACHMENTS_FOLDER} there is a link. Remove or rename it.`,
  ENOSPC: "The disk is full.",
  EDQUOT: "The disk is full.",
  EROFS: "The file system is read-only.",
  EACCES: "The system denies access.",
  EPERM: "The system denies access.",
};

/** Dependencies of the folders. */
export interface AttachmentFoldersOptions {
  /** The state directory. */
  readonly home: string;
  readonly logger: Logger;
}

/**
 * The files that tasks come with, a folder each in the workspace of its sub-agent. They are written before the sub-agent is stored and removed with it. A note
 * in the state directory, written first, says where each folder is, so that the next start removes those of sub-agents that were never stored.
 */
export class AttachmentFolders {
  readonly #notes: AttachmentNotes;
  readonly #logger: Logger;

  constructor({ home, logger }: AttachmentFoldersOptions) {
    this.#notes = new AttachmentNotes(home);
    this.#logger = logger;
  }

  /**
   * Writes the files of a sub-agent, durably. No link in the workspace is followed, and no file is replaced. Resolves with `undefined`, or with a sentence for
   * the model that says why they cannot be written; then nothing of them is left.
   */
  async write(
    id: string,
    { workspace, files }: { readonly workspace: string; readonly files: readonly SpawnAttachment[] },
  ): Promise<string | undefined> {
    const root = await realpath(workspace);
    await this.#notes.write(id, root);
    try {
      await writeFolder(root, id, [IGNORED, ...files]);
      return undefined;
    } catch (error) {
      await this.remove(id);
      const reason = REFUSED[systemCode(error) ?? ""];
      if (reason === undefined) throw error;
      return `The attachments could not be written into the workspace of the sub-agent. ${reason}`;
    }
  }

  /** Removes the files of a sub-agent; no-op if it has none. A failure is logged, and the next start tries again. */
  async remove(id: string): Promise<void> {
    try {
      const workspace = await this.#notes.read(id);
      if (workspace === undefined) return;
      await removeFolder(workspace, id);
      await this.#notes.remove(id);
    } catch (error) {
      this.#logger.warn("The attachments of a sub-agent were not removed", { subagent: id, error });
    }
  }

  /** Removes the files of all sub-agents except these. Call it before one is started. */
  async sweep(isKept: (id: string) => boolean): Promise<void> {
    for (const id of await this.#notes.ids()) if (!isKept(id)) await this.remove(id);
  }
}

/** The paths of a sub-agent's files, relative to its workspace. */
export function attachmentPaths(
  id: string,
  files: readonly Pick<SpawnAttachment, "name">[],
): readonly { readonly name: string; readonly path: string }[] {
  return files.map(({ name }) => ({ name, path: `${ATTACHMENTS_FOLDER}/${id}/${name}` }));
}

/** Every step is made through the open folder before it, so that a link put in its place leads nowhere. */
async function writeFolder(root: string, id: string, files: readonly SpawnAttachment[]): Promise<void> {
  const outer = path.join(root, ATTACHMENTS_FOLDER);
  await mkdir(outer).catch((error: unknown) => {
    if (systemCode(error) !== "EEXIST") throw error;
  });
  await using parent = await open(outer, FOLDER_FLAGS);
  const inner = path.join(anchorOf(parent, outer), id);
  await mkdir(inner);
  await using folder = await open(inner, FOLDER_FLAGS);
  for (const { name, data } of files) {
    await using file = await open(path.join(anchorOf(folder, inner), name), CREATE_FLAGS, 0o666);
    await file.writeFile(data);
    await file.sync();
  }
  await folder.sync();
  await parent.sync();
}

/** Follows no link: one in the place of the folders may lead to anything. */
async function removeFolder(root: string, id: string): Promise<void> {
  const outer = path.join(root, ATTACHMENTS_FOLDER);
  const parent = await open(outer, FOLDER_FLAGS).catch((error: unknown) => {
    if (["ENOENT", "ENOTDIR", "ELOOP"].includes(systemCode(error) ?? "")) return undefined;
    throw error;
  });
  if (parent === undefined) return;
  try {
    await rm(path.join(anchorOf(parent, outer), id), { recursive: true, force: true });
  } finally {
    await parent.close();
  }
  await rmdir(outer).catch((error: unknown) => {
    if (!["ENOTEMPTY", "EEXIST", "ENOENT", "ENOTDIR"].includes(systemCode(error) ?? "")) throw error;
  });
}
