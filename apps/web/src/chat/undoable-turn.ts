import type { ChatEntry, RpcMethods } from "@factotum/protocol";

/** A turn that changed files and can be undone. */
export type ChangedTurn = RpcMethods["checkpoints.list"]["result"]["turns"][number];

/** The command that undoes a turn, and the files that it is about. */
export interface UndoOffer {
  readonly command: "/undo" | "/undo force";
  /** Names without folders. */
  readonly files: readonly string[];
}

/** True if the newest turn of these entries may have changed files: it called a tool. */
export function mayHaveChangedFiles(entries: readonly ChatEntry[]): boolean {
  return entries.slice(startOfTurn(entries) + 1).some(({ type }) => type === "tool-result");
}

/** What to offer for the newest turn of these entries; `undefined` if the newest changed turn is an earlier one. Files that something else has changed need force. */
export function findUndo(entries: readonly ChatEntry[], changed: ChangedTurn | undefined): UndoOffer | undefined {
  const start = entries[startOfTurn(entries)];
  if (changed === undefined || start === undefined || changed.atMs < start.timestampMs) return undefined;
  const refused = changed.files.filter(({ refused: isRefused }) => isRefused);
  const files = refused.length > 0 ? refused : changed.files;
  return { command: refused.length > 0 ? "/undo force" : "/undo", files: files.map(({ path }) => path.split("/").at(-1) ?? path) };
}

/** The message that began the newest turn. An undo begins none. */
function startOfTurn(entries: readonly ChatEntry[]): number {
  return entries.findLastIndex((entry) => entry.type === "user" && !/^\/undo\b/.test(entry.text));
}
