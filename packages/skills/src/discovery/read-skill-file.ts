import { Buffer } from "node:buffer";
import { constants, open } from "node:fs/promises";
import { SkillFileError } from "../skill-file/skill-file-error.ts";

const MAX_FILE_BYTES = 256 * 1024;

/** Reads a SKILL.md whose links are resolved. Throws a SkillFileError if it is too large, not a regular file or not UTF-8. */
export async function readSkillFile(path: string): Promise<string> {
  // NONBLOCK: a named pipe of that name must not block us.
  const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    if (!(await handle.stat()).isFile()) throw new SkillFileError("It is not a regular file.");
    const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(MAX_FILE_BYTES + 1), 0, MAX_FILE_BYTES + 1, 0);
    if (bytesRead > MAX_FILE_BYTES)
      throw new SkillFileError(`It is larger than ${MAX_FILE_BYTES} bytes; move the long parts into files beside it.`);
    return decode(buffer.subarray(0, bytesRead));
  } finally {
    await handle.close();
  }
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    throw new SkillFileError("It is not UTF-8 text.", { cause: error });
  }
}
