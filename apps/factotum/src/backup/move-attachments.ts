import { join } from "node:path";
import type { BackupManifest } from "./manifest.ts";
import type { MoveOptions } from "./move-workspaces.ts";

/**
 * Has the unpacked notes on the attachments of sub-agents name the restored folders: these are removed together with their sub-agents then, and what is left of
 * those that were backed up stays as it is. A folder that was backed up without its note gets one.
 */
export async function moveAttachments(
  { files, workspaces, home }: BackupManifest,
  { staging, paths }: Pick<MoveOptions, "staging" | "paths">,
): Promise<void> {
  const { AttachmentNotes, attachmentPlace } = await import("@factotum/gateway");
  const notes = new AttachmentNotes(staging);
  const places = Map.groupBy(
    files.flatMap(({ path }) => attachmentPlace(path) ?? []),
    ({ id }) => id,
  );
  const isWorkspace = (path: string): boolean => workspaces.some((one) => one.path === path);
  for (const id of new Set([...(await notes.ids()), ...places.keys()])) {
    // One that cannot be read names no place: the folder is looked for in the workspaces.
    const noted = await notes.read(id).catch(() => undefined);
    const found = (places.get(id) ?? []).map(({ workspace }) => workspace);
    const place = found.find((path) => noted?.endsWith(`/${path}`) === true) ?? found.find(isWorkspace);
    if (place !== undefined) await notes.write(id, join(paths.home, place));
    else if (paths.home !== home) await notes.remove(id);
  }
}
