import type { DatabaseLoss } from "./find-loss.ts";
import type { StoreRecovery } from "./store-recovery.ts";

const UNLINKED = "My database was deleted or replaced by another file while I was using it.";

const FOUND: Readonly<Record<DatabaseLoss, string>> = {
  structure: "My database was damaged on the disk.",
  missing: "My database was missing.",
  empty: "My database was an empty file.",
  older:
    "My database was older than the plain files of its conversations: an older copy of it was put in its place, or the newest part of it was lost.",
  unlinked: UNLINKED,
  saved: UNLINKED,
  replaced: "My database had been replaced by a new one that never held anything.",
};

const ASK = "If I seem to have forgotten something, please say it again.";

/** The outcome of a recovery, as text for people. */
export function recoveryText({ loss, isComplete, snapshotAtMs, fromCopies }: Omit<StoreRecovery, "damagedFolder">): string {
  const begin = FOUND[loss];
  if (loss === "saved" && isComplete) return `${begin} I have saved all of it before I let go of it: nothing is lost.`;
  if (isComplete) return `${begin} All of it could be read, and it is rebuilt: nothing is lost.`;
  const snapshot = snapshotAtMs === undefined ? undefined : `${new Date(snapshotAtMs).toISOString().slice(0, 16).replace("T", " ")} UTC`;
  const { entries, conversations, rebuiltKeys, setAside } = fromCopies;
  const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? "" : "s"}`;
  return [
    begin,
    ...(loss === "structure" ? ["It is rebuilt from what could be read of it; something may be missing."] : []),
    ...(snapshot === undefined
      ? []
      : [loss === "structure" ? `A copy from ${snapshot} fills the gaps.` : `I went back to the copy from ${snapshot}.`]),
    ...(loss !== "structure" && loss !== "older" && snapshot === undefined
      ? ["There was no copy of it, so conversations come from their plain files."]
      : []),
    ...(entries === 0
      ? []
      : [
          `${count(entries, "newer entry").replace("entrys", "entries")} of ${count(conversations, "conversation")} came from the plain files.`,
        ]),
    ...(rebuiltKeys.length === 0
      ? []
      : [`Settings of ${count(rebuiltKeys.length, "session")} are lost, and they are not private until they are reset.`]),
    ...(setAside.length === 0 ? [] : [`${count(setAside.length, "plain file")} could not be read whole; a copy of each is kept.`]),
    ASK,
  ].join(" ");
}
