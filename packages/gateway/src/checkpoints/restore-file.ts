import { plural } from "@factotum/agent-contract";
import type { RunFacts } from "@factotum/agent-contract";
import type { CheckpointRecord } from "@factotum/store";
import { FileAccessError, type FileAccess, type FileChange, type OpenFile, type RunFiles } from "@factotum/tools";
import { digestOf } from "./checkpoint-copies.ts";
import { ABSENT, TOO_LARGE, type CheckpointKeeper } from "./checkpoint-keeper.ts";

/** The outcome of one file. `unchanged`: it was already as before. `refused`: something else changed it since. */
export type RestoredFile = { readonly path: string } & (
  | { readonly type: "restored" | "removed" | "unchanged" | "refused" }
  /** It cannot be restored at all. */
  | { readonly type: "lost"; readonly reason: string }
);

/** The dependencies of restoring. */
export interface RestoreFileOptions {
  /** The same access as that of tools, without checkpoints: undoing is not undone. */
  readonly files: FileAccess;
  readonly keeper: Pick<CheckpointKeeper, "copies" | "maxBytes">;
  /** The facts of the run that changed the file, as they are now. */
  readonly run: RunFacts;
  /** Also a file that something else has changed. */
  readonly force: boolean;
}

type Present = { readonly type: "absent" } | { readonly type: "file"; readonly state: string; readonly version: OpenFile["version"] };

/** Gives one file back what it held before a turn, with the authority of that turn's run. `path` is as shown to the person. */
export async function restoreFile(record: CheckpointRecord, { files, keeper, run, force }: RestoreFileOptions): Promise<RestoredFile> {
  const { before, path } = record;
  const access = await files.forRun(run);
  const shown = access.show(path);
  try {
    const present = await readPresent(path, access, keeper.maxBytes);
    const state = present.type === "absent" ? ABSENT : present.state;
    if (state === (before.type === "kept" ? before.digest : before.type)) return { type: "unchanged", path: shown };
    if (before.type === "not-kept")
      return { type: "lost", path: shown, reason: `it had ${plural(before.sizeBytes, "byte")}, which was too much to keep` };
    if (!force && (record.isMixed || !record.written.includes(state))) return { type: "refused", path: shown };
    if (before.type === "absent") {
      if (present.type === "file") await change(access, { type: "remove", path, unchangedSince: present.version });
      return { type: "removed", path: shown };
    }
    const data = await keeper.copies.read(before.digest);
    if (data === undefined) return { type: "lost", path: shown, reason: "its copy is missing or damaged" };
    const unchangedSince = present.type === "absent" ? "absent" : present.version;
    await change(access, { type: "write", path, data, mode: before.mode, unchangedSince });
    return { type: "restored", path: shown };
  } catch (error) {
    if (!(error instanceof FileAccessError)) throw error;
    if (error.code !== "changed") return { type: "lost", path: shown, reason: error.message };
    return force ? { type: "lost", path: shown, reason: "something else is in its place now" } : { type: "refused", path: shown };
  }
}

/** The person asked for it: nothing of it comes from a model that was given text of others. */
async function change(access: RunFiles, one: FileChange): Promise<void> {
  await access.change([one], { tainted: false, isReal: true });
}

/** What is at a path now. A link that leads elsewhere, or something that is no file, was put there by something else. */
async function readPresent(path: string, access: RunFiles, maxBytes: number): Promise<Present> {
  try {
    await using file = await access.openFile(path);
    if (file.path !== path) throw new FileAccessError("changed", `${file.shown} is a link to another place now.`);
    if (file.sizeBytes > maxBytes) return { type: "file", state: TOO_LARGE, version: file.version };
    return { type: "file", state: digestOf(await file.handle.readFile()), version: file.version };
  } catch (error) {
    if (!(error instanceof FileAccessError)) throw error;
    if (error.code === "not-found") return { type: "absent" };
    if (error.code === "not-a-file") throw new FileAccessError("changed", error.message, { cause: error });
    throw error;
  }
}
