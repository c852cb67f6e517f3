import { createHash, randomUUID } from "node:crypto";
import { open, mkdir, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import path from "node:path";
import { isMissing } from "../media/store/is-missing.ts";

/** Digests checked against the store at a time: other work runs in between. */
const SWEPT_AT_ONCE = 200;
const DIGEST = /^[0-9a-f]{64}$/;

/** SHA-256, as hexadecimal. */
export function digestOf(content: string | Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}

/** Contents of files by digest, in a folder that is created with the first one. Not safe for concurrent changes: `CheckpointKeeper` queues them. */
export class CheckpointCopies {
  readonly #folder: string;

  /** `folder`: absolute. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Stores a content, flushed, and resolves with its digest. */
  async put(content: Uint8Array): Promise<string> {
    const digest = digestOf(content);
    const file = path.join(this.#folder, digest);
    if ((await sizeOf(file)) === content.length) return digest;
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    // The name of the product's temporary files: the next start removes one that a killed process left.
    const temporary = path.join(this.#folder, `.factotum-${process.pid}-${randomUUID()}.tmp`);
    try {
      await writeFlushed(temporary, content);
      await rename(temporary, file);
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
    await flushFolder(this.#folder);
    return digest;
  }

  /** A content; `undefined` if it is missing or damaged. */
  async read(digest: string): Promise<Uint8Array | undefined> {
    try {
      const content = await readFile(path.join(this.#folder, digest));
      return digestOf(content) === digest ? content : undefined;
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }

  async remove(digests: readonly string[]): Promise<void> {
    for (const digest of digests) await rm(path.join(this.#folder, digest), { force: true });
  }

  /** Removes every content that is not in use any more. */
  async sweep(findUsed: (digests: readonly string[]) => Promise<ReadonlySet<string>>): Promise<void> {
    const names = (await namesIn(this.#folder)).filter((name) => DIGEST.test(name));
    for (let at = 0; at < names.length; at += SWEPT_AT_ONCE) {
      const digests = names.slice(at, at + SWEPT_AT_ONCE);
      const used = await findUsed(digests);
      await this.remove(digests.filter((digest) => !used.has(digest)));
    }
  }
}

async function sizeOf(file: string): Promise<number | undefined> {
  try {
    return (await stat(file)).size;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

async function writeFlushed(file: string, content: Uint8Array): Promise<void> {
  await using handle = await open(file, "wx", 0o600);
  await handle.writeFile(content);
  await handle.sync();
}

async function flushFolder(folder: string): Promise<void> {
  await using handle = await open(folder, "r");
  await handle.sync();
}
