import type { ChatEntry, RpcMethods } from "@factotum/protocol";

/** A turn that changed files and can be undone. */
export type ChangedTurn = RpcMethods["checkpoints.list"]["result"]["turns"][number];

/** The command that undoes a turn, and the files that it is about. */
export interface UndoOffer {
  readonly turnId: string;
  readonly command: string;
  /** The files were changed by something else since. */
  readonly isForced: boolean;
  /** Names without folders. */
  readonly files: readonly string[];
}

/** What to offer for the newest turn of a conversation, and for earlier ones by the entry below which it stands: the answer, or the message without one. */
export interface UndoOffers {
  readonly newest?: UndoOffer;
  readonly earlier: ReadonlyMap<string, UndoOffer>;
}

/** True if a turn of these entries may have changed files: it called a tool. */
export function mayHaveChangedFiles(entries: readonly ChatEntry[]): boolean {
  return entries.some(({ type }) => type === "tool-result");
}

/**
 * What to offer for these entries. `changed`: the turns that can be undone, newest first. An earlier turn whose files a later one has changed, too, is offered
 * when that one is undone. Files that something else has changed need force.
 */
export function findUndos(entries: readonly ChatEntry[], changed: readonly ChangedTurn[]): UndoOffers {
  const newestStart = startOfTurn(entries, entries.length);
  const earlier = new Map<string, UndoOffer>();
  const later = new Set<string>();
  let newest: UndoOffer | undefined;
  for (const turn of changed) {
    const start = findTurn(entries, turn);
    const isReplaced = turn.files.some(({ path }) => later.has(path));
    for (const { path } of turn.files) later.add(path);
    if (start === undefined || isReplaced) continue;
    if (start === newestStart) newest ??= offerOf(turn, "/undo");
    else earlier.set(placeOf(entries, start), offerOf(turn, "/undo", turn.turnId));
  }
  return newest === undefined ? { earlier } : { newest, earlier };
}

/** True for the command that undoes an earlier turn: it names it by an id, which says nothing to a person. */
export function isUndoOfEarlier(text: string): boolean {
  return /^\/undo (?:force )?[\da-f]{8}-[\da-f-]{27}$/.test(text);
}

function offerOf({ turnId, files }: ChangedTurn, ...words: readonly string[]): UndoOffer {
  const refused = files.filter(({ refused: isRefused }) => isRefused);
  const isForced = refused.length > 0;
  const [command = "", ...turn] = words;
  return {
    turnId,
    command: [command, ...(isForced ? ["force"] : []), ...turn].join(" "),
    isForced,
    files: (isForced ? refused : files).map(({ path }) => path.split("/").at(-1) ?? path),
  };
}

/** The place of the message that began a turn: the one before the first result that came after its change. */
function findTurn(entries: readonly ChatEntry[], { atMs }: ChangedTurn): number | undefined {
  const result = entries.findIndex(({ type, timestampMs }) => type === "tool-result" && timestampMs >= atMs);
  const start = startOfTurn(entries, result);
  const asked = entries[start];
  // A change of another branch is older than the message.
  return asked === undefined || asked.timestampMs > atMs ? undefined : start;
}

/** The place of the message that began the turn before an entry; -1 without one. An undo begins none. */
function startOfTurn(entries: readonly ChatEntry[], end: number): number {
  return entries.findLastIndex((entry, index) => index < end && entry.type === "user" && !/^\/undo\b/.test(entry.text));
}

/** The id of the last words of a turn that calls no tool, or of the message that began it. */
function placeOf(entries: readonly ChatEntry[], start: number): string {
  let place = entries[start]?.id ?? "";
  for (const entry of entries.slice(start + 1)) {
    if (entry.type === "user") break;
    if (entry.type === "assistant" && entry.text !== "" && entry.toolCalls.length === 0) place = entry.id;
  }
  return place;
}
