import { addAbortSignal, type Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { CliError } from "./cli-error.ts";

/** Decodes text that was given, without a byte order mark. Rejects other encodings (`usage`): their characters would be replaced. `name` begins the sentence. */
export function utf8Text(bytes: Uint8Array, name: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new CliError("usage", `${name} is not text in UTF-8.`, {
      fix: "Save it as UTF-8, or convert it: iconv -f GBK -t UTF-8 old.md > new.md, with the encoding that it has.",
      cause,
    });
  }
}

/** All text of standard input. Ends with an error (`failure`) once `signal` fires. */
export async function readStandardInput(input: Readable, signal: AbortSignal): Promise<string> {
  let bytes: Buffer;
  try {
    bytes = await buffer(addAbortSignal(signal, input));
  } catch (cause) {
    if (signal.aborted) throw new CliError("failure", "The command was stopped before standard input ended.", { cause });
    throw cause;
  }
  return utf8Text(bytes, "Standard input");
}
