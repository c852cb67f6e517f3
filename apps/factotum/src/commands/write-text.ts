import { constants, open } from "node:fs/promises";
import { MAX_FRAME_BYTES } from "@factotum/protocol";
import type { CliContext } from "../runtime/cli-context.ts";
import { CliError } from "../runtime/cli-error.ts";
import { terminalText } from "../runtime/foreign-text.ts";
import { utf8Text } from "../runtime/utf8-text.ts";

/** Of a text as it is sent; the rest of the frame is for its path and hash. */
const MAX_SENT_BYTES = MAX_FRAME_BYTES - 8 * 1024;

/** What `files write` and `memory write` are given alike. */
export interface WriteOptions {
  /** A file of this machine with the new text; standard input if omitted. */
  readonly source?: string;
  /** The text that is written over must be the one of this hash; the one that is there if omitted. */
  readonly baseHash?: string;
}

/** The new text, of `maxChars` characters at most. Rejects (`usage`) what is no text in UTF-8 or longer. */
export async function readNewText(cli: CliContext, { source, maxChars }: WriteOptions & { readonly maxChars: number }): Promise<string> {
  const name = source ?? "Standard input";
  // No character takes more than three bytes for each of its units.
  const text =
    source === undefined
      ? ((await cli.readInput?.()) ?? "")
      : utf8Text(await readSource(source, { maxBytes: maxChars * 3, limit: charsOf(maxChars) }), name);
  if (text.length > maxChars) throw tooLarge(name, charsOf(maxChars));
  // A larger request would end the connection without a word.
  if (Buffer.byteLength(JSON.stringify(text)) > MAX_SENT_BYTES) throw tooLarge(name, `${MAX_SENT_BYTES.toLocaleString("en")} bytes`);
  return text;
}

/** The bytes of a regular file of this machine. Rejects (`usage`) anything else, such as a named pipe, which may never end. `limit` is `maxBytes` in words. */
export async function readSource(
  source: string,
  { maxBytes, limit }: { readonly maxBytes: number; readonly limit: string },
): Promise<Uint8Array> {
  try {
    // NONBLOCK: a named pipe without a writer must not hold the command.
    await using file = await open(source, constants.O_RDONLY | constants.O_NONBLOCK);
    const stats = await file.stat();
    if (!stats.isFile())
      throw new CliError("usage", `${source} is no regular file.`, {
        fix: "Name a regular file. Text of a program is taken from standard input.",
      });
    if (stats.size > maxBytes) throw tooLarge(source, limit);
    return await file.readFile();
  } catch (cause) {
    if (cause instanceof CliError) throw cause;
    throw new CliError("usage", `${source} cannot be read.`, { fix: "Name a file that is there.", cause });
  }
}

function charsOf(maxChars: number): string {
  return `${maxChars.toLocaleString("en")} characters`;
}

function tooLarge(name: string, limit: string): CliError {
  return new CliError("usage", `${name} is larger than ${limit}.`, { fix: "Split it, or send less of it." });
}

/** What the write did, as a sentence or two. */
export function describeWrite(path: string, { hadText }: { readonly hadText: boolean }): string {
  return `${terminalText(path)} is written.${hadText ? " What it held until now is its newest version." : ""}`;
}
