import type { DatabaseLoss } from "./find-loss.ts";
import type { UncertainRows } from "./find-affected.ts";
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

/** Without a conversation in a copy, a plain file or the damaged file itself. */
const NOTHING_LEFT = {
  unreadable:
    "None of its conversations could be read, and there was neither a copy of it nor a plain file. I begin empty: what was said before is lost, and so are messages without an answer.",
  gone: "There was neither a copy of it nor a plain file of a conversation. I begin empty: what was said before is lost, and so are messages without an answer.",
} as const;

/** The outcome of a recovery, as text for people. */
export function recoveryText({
  loss,
  isComplete,
  isEmpty,
  snapshotAtMs,
  fromCopies,
  uncertain,
}: Omit<StoreRecovery, "damagedFolder">): string {
  const begin = FOUND[loss];
  if (loss === "saved" && isComplete) return `${begin} I have saved all of it before I let go of it: nothing is lost.`;
  if (isComplete) return `${begin} All of it could be read, and it is rebuilt: nothing is lost.`;
  const snapshot = snapshotAtMs === undefined ? undefined : `${new Date(snapshotAtMs).toISOString().slice(0, 16).replace("T", " ")} UTC`;
  if (isEmpty && snapshot === undefined) return `${begin} ${NOTHING_LEFT[loss === "structure" ? "unreadable" : "gone"]}`;
  const { entries, conversations, rebuiltKeys, setAside } = fromCopies;
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
    ...describeWork(loss, uncertain),
    ASK,
  ].join(" ");
}

/** The fate of unfinished messages. The plain files contain only the conversation. */
function describeWork(loss: DatabaseLoss, { inputs, outbound }: UncertainRows): string[] {
  return [
    ...(inputs === 0
      ? []
      : [
          `I do not know whether ${count(inputs, "message")} to me had an answer, so I keep ${inputs === 1 ? "it as a dead letter" : "them as dead letters"}.`,
        ]),
    ...(outbound === 0 ? [] : [`I do not know whether ${count(outbound, "message")} of mine arrived, and I send none again.`]),
    ...(loss === "structure" ? [] : ["Messages that came later and had no answer yet are lost, and so are the dead letters of that time."]),
  ];
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}
