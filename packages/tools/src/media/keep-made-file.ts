import { createHash } from "node:crypto";
import type { MadeFile } from "@factotum/agent-contract";
import type { RunFiles } from "../file-access/create-file-access.ts";

/** The folder of the workspace for what media tools make: files of the workspace alone can be sent. */
const FOLDER = "media";

/** How a model sends a file that it has made. */
export const SEND_HINT =
  "Nothing was sent yet: write MEDIA: and the path on a line of its own in the answer, or give the path to message as media.";

/** Rejects with a FileAccessError where made files cannot be kept: before anything is made, and paid for. */
export async function requireFolder(access: RunFiles): Promise<void> {
  await access.requireWritable(`${FOLDER}/made`);
}

/** Writes a made file into the workspace, named by its content. Resolves with its path as shown. Rejects with a FileAccessError. */
export async function keepMadeFile(
  { bytes, extension }: MadeFile,
  { name, access, tainted }: { readonly name: string; readonly access: RunFiles; readonly tainted: boolean },
): Promise<string> {
  const id = createHash("sha256").update(bytes).digest("hex").slice(0, 12);
  const path = `${FOLDER}/${name}-${id}.${extension}`;
  const [written] = await access.change([{ type: "write", path, data: bytes }], { tainted });
  return written?.shown ?? path;
}
