import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { CliError } from "../runtime/cli-error.ts";

const STAGING = ".factotum-build-";
const MarkerSchema = z.object({ factotum: z.object({ build: z.object({ channels: z.array(z.string()) }) }) });

/**
 * The new content of a folder, which takes the place of the old one at once. Disposing it without that leaves the folder as it was. Files that the new content
 * does not have stay.
 */
export class StagedFolder implements AsyncDisposable {
  readonly staging: string;
  readonly #folder: string;
  /** The first folder that had to be made. */
  readonly #made: string | undefined;
  #isActive = false;

  private constructor(folder: string, staging: string, made: string | undefined) {
    this.#folder = folder;
    this.staging = staging;
    this.#made = made;
  }

  /** Rejects with a `CliError` for a folder with content of somebody else. */
  static async create(folder: string): Promise<StagedFolder> {
    const left = await checkFolder(folder);
    const made = await mkdir(folder, { recursive: true });
    const staging = await mkdtemp(join(folder, STAGING));
    for (const name of left) await rm(join(folder, name), { recursive: true, force: true });
    return new StagedFolder(folder, staging, made);
  }

  /** Moves the content in. `package.json` comes last, since it says that the folder is complete. */
  async activate(): Promise<void> {
    const old = await mkdtemp(join(this.#folder, STAGING));
    const names = (await readdir(this.staging)).toSorted((one, other) => Number(one === "package.json") - Number(other === "package.json"));
    const undo: (() => Promise<void>)[] = [];
    try {
      for (const name of names) {
        const place = join(this.#folder, name);
        if (existsSync(place)) {
          await rename(place, join(old, name));
          undo.push(async () => rename(join(old, name), place));
        }
        await rename(join(this.staging, name), place);
        undo.push(async () => rename(place, join(this.staging, name)));
      }
    } catch (error) {
      for (const step of undo.toReversed()) await step();
      await rm(old, { recursive: true, force: true });
      throw error;
    }
    this.#isActive = true;
    await rm(old, { recursive: true, force: true });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.staging, { recursive: true, force: true });
    if (!this.#isActive && this.#made !== undefined) await rm(this.#made, { recursive: true, force: true });
  }
}

/** Resolves with what an interrupted build has left. */
async function checkFolder(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw new CliError("usage", `${folder} cannot be used: ${error.code === "ENOTDIR" ? "it is a file" : error.message}.`, {
      cause: error,
    });
  });
  const left = names.filter((name) => name.startsWith(STAGING));
  if (names.length === 0 || left.length > 0 || (await isOwn(folder))) return left;
  throw new CliError("usage", `${folder} is not empty, and was not written by factotum build.`, {
    fix: "Nothing was changed. Name an empty or a new folder with --out.",
  });
}

async function isOwn(folder: string): Promise<boolean> {
  try {
    return MarkerSchema.safeParse(JSON.parse(await readFile(join(folder, "package.json"), "utf8"))).success;
  } catch {
    return false;
  }
}
