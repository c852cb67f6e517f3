/** What a compaction did. */
export type CompactionOutcome =
  /** Nothing before the turn can be summarised. */
  | { readonly type: "nothing" }
  /** `local`: no model could summarise it, so it was cut by rule. */
  | ({ readonly type: "compacted"; readonly how: "summary" | "local"; readonly tokensBefore: number } & CompactedMessages);

/** The older messages, by number. */
export interface CompactedMessages {
  /** Summarised by a model. */
  readonly summarised: number;
  /** Omitted by rule; the transcript has them. */
  readonly leftOut: number;
  /** The history exceeded the model's window, so that only the newest part of it was given to a summariser. */
  readonly isOversized: boolean;
}

/** Merges two compactions of one turn. */
export function joinOutcomes(first: CompactionOutcome, second: CompactionOutcome): CompactionOutcome {
  if (first.type === "nothing") return second;
  if (second.type === "nothing") return first;
  return {
    ...first,
    summarised: first.summarised + second.summarised,
    leftOut: first.leftOut + second.leftOut,
    isOversized: first.isOversized || second.isOversized,
  };
}

/** The notice that a history exceeded the model's window and messages were left out; `undefined` otherwise. */
export function leftOutNotice(outcome: CompactionOutcome): string | undefined {
  if (outcome.type === "nothing" || !outcome.isOversized || outcome.leftOut === 0) return undefined;
  const leftOut = outcome.leftOut.toLocaleString("en-US");
  const rest =
    outcome.summarised === 0
      ? `${leftOut} older messages are no longer shown to the model, and none of them could be summarised`
      : `${outcome.summarised.toLocaleString("en-US")} older messages were summarised, and ${leftOut} before them are no longer shown to the model`;
  return `This conversation is longer than the model can read: ${rest}. The transcript still has all of it.`;
}
