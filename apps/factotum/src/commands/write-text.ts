import { readFile } from "node:fs/promises";
import type { CliContext } from "../runtime/cli-context.ts";
import { CliError } from "../runtime/cli-error.ts";
import { terminalText } from "../runtime/foreign-text.ts";

/** What `files write` and `memory write` are given alike. */
export interface WriteOptions {
  /** A file of this machine with the new text; standard input if omitted. */
  readonly source?: string;
  /** The text that is written over must be the one of this hash; the one that is there if omitted. */
  readonly baseHash?: string;
}

/** The new text. */
export async function readNewText(cli: CliContext, { source }: WriteOptions): Promise<string> {
  if (source === undefined) return (await cli.readInput?.()) ?? "";
  return new TextDecoder().decode(await readSource(source));
}

/** A file of this machine. */
export async function readSource(source: string): Promise<Uint8Array> {
  try {
    return await readFile(source);
  } catch (cause) {
    throw new CliError("usage", `${source} cannot be read.`, { fix: "Name a file that is there.", cause });
  }
}

/** What the write did, as a sentence or two. */
export function describeWrite(path: string, { hadText }: { readonly hadText: boolean }): string {
  return `${terminalText(path)} is written.${hadText ? " What it held until now is its newest version." : ""}`;
}
