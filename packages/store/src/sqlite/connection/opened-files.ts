import { statSync } from "node:fs";
import { join } from "node:path";
import { DATABASE_NAME } from "./database-name.ts";

/** SQLite keeps these open as long as the connection: the log is truncated, but never replaced. */
const NAMES = [DATABASE_NAME, `${DATABASE_NAME}-wal`];

/** The files of an open connection, even after they were renamed or unlinked. */
export class OpenedFiles {
  readonly #folder: string;
  readonly #ids: readonly (string | undefined)[];

  /** Records the files of a database that was just opened and written to. */
  constructor(folder: string) {
    this.#folder = folder;
    this.#ids = this.#look();
  }

  /** True once a name is gone or belongs to another file: later writes are lost when the process ends. */
  get isUnlinked(): boolean {
    try {
      return this.#look().some((id, index) => id !== this.#ids[index]);
    } catch {
      // A folder that is unreadable for a while proves nothing.
      return false;
    }
  }

  #look(): readonly (string | undefined)[] {
    return NAMES.map((name) => {
      const stats = statSync(join(this.#folder, name), { bigint: true, throwIfNoEntry: false });
      return stats === undefined ? undefined : `${stats.dev}:${stats.ino}`;
    });
  }
}
