import { readdir, readFile, rm } from "node:fs/promises";
import path from "node:path";
import { writePrivateFile } from "@factotum/config";
import { systemCode } from "@factotum/tools";

/** In a workspace: has a folder for each sub-agent with attachments. */
export const ATTACHMENTS_FOLDER = ".subagents";

const ATTACHMENT = /^(.+)\/\.subagents\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\/[^/]+$/;

/** The sub-agent whose attachment a path with `/` names, and the workspace in front of it; `undefined` for any other path. */
export function attachmentPlace(file: string): { readonly workspace: string; readonly id: string } | undefined {
  const [, workspace, id] = ATTACHMENT.exec(file) ?? [];
  return workspace === undefined || id === undefined ? undefined : { workspace, id };
}

/** For each sub-agent with attachments a note in the state directory, which says in which workspace its folder is. Absolute. */
export class AttachmentNotes {
  readonly #folder: string;

  constructor(home: string) {
    this.#folder = path.join(home, "state", "attachments");
  }

  /** The sub-agents that have one. */
  async ids(): Promise<readonly string[]> {
    try {
      return (await readdir(this.#folder)).filter((name) => name.endsWith(".json")).map((name) => path.basename(name, ".json"));
    } catch (error) {
      if (systemCode(error) === "ENOENT") return [];
      throw error;
    }
  }

  /** `undefined` without a note; rejects for one that cannot be read. */
  async read(id: string): Promise<string | undefined> {
    try {
      const { workspace } = JSON.parse(await readFile(this.#noteOf(id), "utf8")) as { readonly workspace: string };
      return workspace;
    } catch (error) {
      if (systemCode(error) === "ENOENT") return undefined;
      throw error;
    }
  }

  async write(id: string, workspace: string): Promise<void> {
    await writePrivateFile(this.#noteOf(id), JSON.stringify({ workspace }));
  }

  /** No-op without a note. */
  async remove(id: string): Promise<void> {
    await rm(this.#noteOf(id), { force: true });
  }

  #noteOf(id: string): string {
    return path.join(this.#folder, `${id}.json`);
  }
}
