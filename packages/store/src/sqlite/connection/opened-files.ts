import { statSync } from "node:fs";
import { join } from "node:path";
import { DATABASE_NAME } from "./connection.ts";

/** What SQLite keeps open as long as the connection: the log is emptied, but never replaced. */
const NAMES = [DATABASE_NAME, `${DATABASE_NAME}-wal`];

/** The files of an open connection, even after they were renamed or unlinked. */
export class OpenedFiles {
  readonly #folder: string;
  readonly #ids: readonly (string | undefined)[];

  /** Takes notice of the files of a database that was just opened and has been written to. */
  constructor(folder: string) {
    this.#folder = folder;
    this.#ids = this.#look();
  }

  /** True once a name is gone or stands for another file: what is written from then on ends with the process. */
  get isUnlinked(): boolean {
    try {
      return this.#look().some((id, index) => id !== this.#ids[index]);
    } catch {
      // A folder that cannot be looked at for a while says nothing.
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
