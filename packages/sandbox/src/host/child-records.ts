import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ChildIdentity } from "./child-family.ts";

const FILE = /^([0-9a-f-]{36})\.json$/;

/**
 * What runs, one small file a command: there before the command is, gone when nothing of it runs any more. What is found at a start was left by a
 * gateway that was killed. The files are not flushed to the disk: a machine that lost its power has lost the processes too.
 */
export class ChildRecords {
  readonly #folder: string;

  /** `folder` is absolute, made when it is first needed, with mode 700. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Rejects when it cannot be written; then nothing must be started. */
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

  /** What is written down, for a process that has none of it as its own children. */
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
