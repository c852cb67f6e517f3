import { lstatSync } from "node:fs";
import type { FileBefore } from "@factotum/agent-contract";
import { FileAccessError } from "./file-access-error.ts";
import { openChecked } from "./open-checked.ts";
import type { OpenContext } from "./open-folder.ts";

const MODE_BITS = 0o7777;

/** What is at a real path that is about to change, through a checked handle. Reads at most `maxBytes`. */
export async function readBefore(real: string, context: OpenContext, { maxBytes }: { readonly maxBytes: number }): Promise<FileBefore> {
  const shown = context.show(real);
  const stats = lstatSync(real, { throwIfNoEntry: false });
  if (stats === undefined) return { type: "absent" };
  const { handle, stats: opened } = await openChecked(real, { real, shown, workspace: context.workspace, grants: context.grants }, stats);
  try {
    if (opened.isDirectory()) throw new FileAccessError("not-a-file", `${shown} is a folder.`);
    const sizeBytes = Number(opened.size);
    if (sizeBytes > maxBytes) return { type: "too-large", sizeBytes };
    const content = new Uint8Array(sizeBytes);
    const { bytesRead } = await handle.read(content, 0, sizeBytes, 0);
    return { type: "file", content: content.subarray(0, bytesRead), mode: Number(opened.mode) & MODE_BITS };
  } finally {
    await handle.close();
  }
}
