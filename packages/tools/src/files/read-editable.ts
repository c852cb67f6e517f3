import { FileAccessError } from "../file-access/file-access-error.ts";
import type { OpenFile } from "../file-access/open-file.ts";
import { MAX_EDIT_BYTES } from "./apply-edits.ts";

const MODE_BITS = 0o7777;

/** The text of a file that is to be changed, and its mode. Rejects with a FileAccessError for one that is too large or not UTF-8. */
export async function readEditable(file: OpenFile): Promise<{ readonly text: string; readonly mode: number }> {
  if (file.sizeBytes > MAX_EDIT_BYTES) {
    throw new FileAccessError(
      "failed",
      `${file.shown} is too large to edit (${file.sizeBytes} bytes; at most ${MAX_EDIT_BYTES}). Use exec with sed instead.`,
    );
  }
  const { mode } = await file.handle.stat();
  const bytes = await file.handle.readFile();
  try {
    return { text: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes), mode: mode & MODE_BITS };
  } catch (error) {
    throw new FileAccessError("not-a-file", `${file.shown} is not UTF-8 text, so it cannot be edited.`, { cause: error });
  }
}
