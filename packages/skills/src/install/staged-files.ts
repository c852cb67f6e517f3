import { chmod, mkdir, open } from "node:fs/promises";
import { dirname, join } from "node:path";
import { entryPath, isIgnoredEntry } from "./entry-path.ts";
import { refusedSource } from "./install-error.ts";

/** Bounds of one installation. */
export const INSTALL_LIMITS: { readonly maxEntries: number; readonly maxFileBytes: number; readonly maxTotalBytes: number } = {
  maxEntries: 2_000,
  maxFileBytes: 10 * 1024 ** 2,
  maxTotalBytes: 30 * 1024 ** 2,
};

/** Writes the files of a source into an empty folder, within bounds. Every method throws a SkillInstallError for what must not be there. */
export class StagedFiles {
  readonly folder: string;
  /** By their path in lower case: on some file systems these are one file. */
  readonly #seen = new Map<string, "file" | "folder">();
  #entries = 0;
  #bytes = 0;

  constructor(folder: string) {
    this.folder = folder;
  }

  async addFolder(name: string): Promise<void> {
    const path = this.#take(name);
    if (path === "" || isIgnoredEntry(path)) return;
    this.#claim(path, "folder");
    await mkdir(join(this.folder, path), { recursive: true, mode: 0o700 });
  }

  /** `size`: as announced, checked before anything is written. The body is counted again. */
  async addFile(
    name: string,
    body: AsyncIterable<Uint8Array>,
    { isExecutable, size }: { readonly isExecutable: boolean; readonly size: number },
  ): Promise<void> {
    const path = this.#take(name);
    if (path === "") throw refusedSource("an entry has no name");
    this.#count(name, size);
    if (isIgnoredEntry(path)) return drain(body, INSTALL_LIMITS.maxFileBytes);
    this.#claim(path, "file");
    const target = join(this.folder, path);
    await mkdir(dirname(target), { recursive: true, mode: 0o700 });
    // Never through a link, never over an existing file.
    const file = await open(target, "wx", 0o600);
    let written = 0;
    try {
      for await (const chunk of body) {
        written += chunk.length;
        if (written > size) throw refusedSource(`${JSON.stringify(name)} is longer than it says`);
        await file.writeFile(chunk);
      }
    } finally {
      await file.close();
    }
    if (isExecutable) await chmod(target, 0o700);
  }

  /** Refuses an entry that is neither a file nor a folder. */
  refuseSpecial(name: string, kind: string): never {
    throw refusedSource(`${JSON.stringify(name)} is a ${kind}; skills have plain files only`);
  }

  #take(name: string): string {
    this.#entries += 1;
    if (this.#entries > INSTALL_LIMITS.maxEntries) throw refusedSource(`it has more than ${INSTALL_LIMITS.maxEntries} files`);
    return entryPath(name);
  }

  #count(name: string, size: number): void {
    if (!Number.isSafeInteger(size) || size < 0) throw refusedSource(`${JSON.stringify(name)} has an invalid size`);
    if (size > INSTALL_LIMITS.maxFileBytes)
      throw refusedSource(`${JSON.stringify(name)} has more than ${INSTALL_LIMITS.maxFileBytes} bytes`);
    this.#bytes += size;
    if (this.#bytes > INSTALL_LIMITS.maxTotalBytes) throw refusedSource(`it unpacks to more than ${INSTALL_LIMITS.maxTotalBytes} bytes`);
  }

  /** A path is one file or one folder, and everything above it is a folder. */
  #claim(path: string, kind: "file" | "folder"): void {
    const folded = path.normalize("NFC").toLowerCase();
    const known = this.#seen.get(folded);
    if (known !== undefined && (known === "file" || kind === "file")) throw refusedSource(`${JSON.stringify(path)} is there twice`);
    this.#seen.set(folded, kind);
    for (let parent = dirname(folded); parent !== "."; parent = dirname(parent)) {
      if (this.#seen.get(parent) === "file") throw refusedSource(`${JSON.stringify(parent)} is a file and a folder`);
      this.#seen.set(parent, "folder");
    }
  }
}

async function drain(body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<void> {
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw refusedSource(`a file has more than ${maxBytes} bytes`);
  }
}
