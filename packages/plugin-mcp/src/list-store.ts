import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isObject } from "./check-schema.ts";
import type { Verdict } from "./open-client.ts";

/** What is remembered of a server. */
export interface StoredList {
  readonly verdict: Verdict;
  /** As the server listed them. */
  readonly tools: readonly unknown[];
  readonly prompts: readonly unknown[];
  readonly hasResources: boolean;
}

const VERSION = 2;
const MAX_BYTES = 8_000_000;

/** The lists of tools and prompts that servers gave when they last ran, one file each, so that a start of the gateway starts none of them. */
export class ListStore {
  readonly #folder: string;

  /** `folder` is absolute. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /** The list of a server with these settings; `undefined` without one. Reads at once, since tools are collected at once. */
  read(server: string, settings: string): StoredList | undefined {
    try {
      const stored: unknown = JSON.parse(readFileSync(this.#path(server), "utf8"));
      if (!isObject(stored) || stored["version"] !== VERSION || stored["settings"] !== settings) return undefined;
      const { verdict, tools, prompts, hasResources } = stored as { readonly [Key in keyof StoredList]?: StoredList[Key] };
      if (verdict === undefined || !Array.isArray(tools) || !Array.isArray(prompts)) return undefined;
      return { verdict, tools, prompts, hasResources: hasResources === true };
    } catch {
      // Missing or damaged: the server is asked again.
      return undefined;
    }
  }

  /** Rejects if it cannot be written. A list that is too large is not kept. */
  async write(server: string, settings: string, list: StoredList): Promise<void> {
    const text = `${JSON.stringify({ version: VERSION, settings, ...list })}\n`;
    if (Buffer.byteLength(text) > MAX_BYTES) return;
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const path = this.#path(server);
    await writeFile(`${path}.new`, text, { mode: 0o600 });
    await rename(`${path}.new`, path);
  }

  /** Removes the lists of all other servers. */
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
