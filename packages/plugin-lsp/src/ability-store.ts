import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isObject } from "./is-object.ts";
import { OPERATIONS, type Operation } from "./operations.ts";

const VERSION = 1;

/** What servers could do when they last ran, a file each, so that a start of the gateway starts none of them. */
export class AbilityStore {
  readonly #folder: string;

  /** `folder` is absolute. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /** The operations of a server with these settings; `undefined` if they are not known. Reads at once, since tools are collected at once. */
  read(server: string, settings: string): readonly Operation[] | undefined {
    try {
      const stored: unknown = JSON.parse(readFileSync(this.#path(server), "utf8"));
      if (!isObject(stored) || stored["version"] !== VERSION || stored["settings"] !== settings) return undefined;
      const { operations } = stored;
      return Array.isArray(operations) ? OPERATIONS.filter((one) => operations.includes(one)) : undefined;
    } catch {
      // Missing or damaged: the server is asked again.
      return undefined;
    }
  }

  /** Rejects if it cannot be written. */
  async write(server: string, settings: string, operations: readonly Operation[]): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const path = this.#path(server);
    await writeFile(`${path}.new`, `${JSON.stringify({ version: VERSION, settings, operations })}\n`, { mode: 0o600 });
    await rename(`${path}.new`, path);
  }

  /** Removes what is known of all other servers. */
  async keepOnly(servers: readonly string[]): Promise<void> {
    const kept = new Set(servers.map(fileOf));
    const names = await readdir(this.#folder).catch(() => []);
    await Promise.all(
      names.filter((name) => name.endsWith(".json") && !kept.has(name)).map((name) => rm(join(this.#folder, name), { force: true })),
    );
  }

  #path(server: string): string {
    return join(this.#folder, fileOf(server));
  }
}

function fileOf(server: string): string {
  return `${createHash("sha256").update(server).digest("hex").slice(0, 16)}.json`;
}
