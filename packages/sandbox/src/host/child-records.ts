import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ChildIdentity } from "./child-family.ts";

const FILE = /^([0-9a-f-]{36})\.json$/;

/**
 * Records of running commands, one small file each: written before the command starts, removed when nothing of it runs any more. Records found at a start were
 * left by a killed gateway. The files are not flushed to the disk: a power loss ends the processes too.
 */
export class ChildRecords {
  readonly #folder: string;

  /** `folder` is absolute, created on demand with mode 700. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Rejects if it cannot be written; then the command must not be started. */
  async announce(id: string): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    await writeFile(this.#path(id), "", { flag: "wx", mode: 0o600 });
  }

  async started(id: string, leader: NonNullable<ChildIdentity["leader"]>): Promise<void> {
    await writeFile(this.#path(id), `${JSON.stringify(leader)}\n`, { mode: 0o600 });
  }

  async remove(id: string): Promise<void> {
    await rm(this.#path(id), { force: true });
  }

  /** All records, for a process that has none of them as its own children. */
  async list(): Promise<readonly ChildIdentity[]> {
    const names = await readdir(this.#folder).catch((error: unknown) => {
      if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
      throw error;
    });
    const ids = names.flatMap((name) => FILE.exec(name)?.[1] ?? []);
    return Promise.all(
      ids.map(async (id): Promise<ChildIdentity> => ({ id, leader: parseLeader(await readFile(this.#path(id), "utf8")), own: false })),
    );
  }

  #path(id: string): string {
    return join(this.#folder, `${id}.json`);
  }
}

/** `undefined` for a record of a command that was killed before its process was known: it is found by its variable alone. */
function parseLeader(text: string): ChildIdentity["leader"] {
  const match = /^\{"processId":(\d+)(?:,"start":"([^"\\]+)")?\}\n$/.exec(text);
  return match === null ? undefined : { processId: Number(match[1]), start: match[2] };
}
