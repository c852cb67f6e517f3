import { RUN_KINDS, type RunKind } from "@factotum/agent-contract";

/** Lanes by who shares their capacity: people's turns, sub-agents' turns, and unattended work. */
export const LANES = ["main", "subagent", "cron"] as const;

/** Name of a lane. */
export type LaneName = (typeof LANES)[number];

/** How the gateway treats a run, by its kind. */
export interface RunPolicy {
  /** The lane that the run uses. */
  readonly lane: LaneName;
  /** A person waits for the outcome. The others have spend caps, and yield to messages. */
  readonly isAttended: boolean;
  /** The conversation is told when it fails. */
  readonly reportsFailure: boolean;
  /** Waiting inputs of one conversation and authority share a turn. A person's follow their queue mode. */
  readonly sharesTurn: boolean;
  /**
   * Started by a person's message: it can be merged with others, steered and awaited, keeps the session fresh, and is asked about again after an interruption.
   */
  readonly isFromPerson: boolean;
  /** The owner can be asked about its calls. In the other runs, what needs a decision is refused. */
  readonly mayAsk: boolean;
  /** Tools, thoughts and the beginning of the answer are shown while it runs. A run that may end in silence shows nothing before its end. */
  readonly showsProgress: boolean;
  /** Which part of the outcome reaches the conversation. `to-parent`: none; the session that asked for the run gets it as an input. */
  readonly reply: "always" | "unless-heartbeat-ok" | "to-parent" | "never";
  /** Its session is not that of the conversation that it answers in, whose session gets a record of the answer. */
  readonly isAnnounced: boolean;
  /** The model gets the gateway's own text as the task: no sender, no channel. */
  readonly isHostText: boolean;
  /** No agent had a part in the text of its message, so a tainted turn may request an address that stands there (R23). */
  readonly givesAddresses: boolean;
  /** What the history shows instead of the text for the model. */
  readonly historyNotice?: string;
  /** It counts as the previous run of a person's turn, whose model learns of an interruption. */
  readonly isFollowed: boolean;
  /** Its requests are skipped when consecutive requests of the session are compared. */
  readonly isAside: boolean;
  /** Notes are written before its session is compacted. */
  readonly flushesMemory: boolean;
  /** Its session is compacted after it, and if its request is too long. */
  readonly compacts: boolean;
  /** It may leave no trace, so the next run reports changed workspace files again. */
  readonly reportsChangesAgain: boolean;
  /** It is resumed after a restart; otherwise it ends, and the turn that needs it starts another. */
  readonly isResumable: boolean;
  /** A message to its session stops it, and it is run again later. */
  readonly yieldsToMessages: boolean;
  /** Its tools may only read, and append to the day's notes (R9). */
  readonly onlyAddsNotes: boolean;
  /** It may change `MEMORY.md` and `USER.md`. The others note in the day's file what they find, or propose it to the owner. */
  readonly changesMemory: boolean;
  /** What its files held before it changed them is kept, for `/undo`. */
  readonly keepsCheckpoints: boolean;
  /** Maximum duration in milliseconds, if shorter than the agent's own limit. */
  readonly maxMs?: number;
}

const PERSON: RunPolicy = {
  lane: "main",
  isAttended: true,
  reportsFailure: true,
  sharesTurn: false,
  isFromPerson: true,
  mayAsk: true,
  showsProgress: true,
  reply: "always",
  isAnnounced: false,
  isHostText: false,
  givesAddresses: true,
  isFollowed: true,
  isAside: false,
  flushesMemory: true,
  compacts: true,
  reportsChangesAgain: false,
  isResumable: true,
  yieldsToMessages: false,
  onlyAddsNotes: false,
  changesMemory: true,
  keepsCheckpoints: true,
};

const UNATTENDED: RunPolicy = {
  ...PERSON,
  lane: "cron",
  isAttended: false,
  reportsFailure: false,
  isFromPerson: false,
  mayAsk: false,
  showsProgress: false,
  givesAddresses: false,
  isFollowed: false,
  flushesMemory: false,
  changesMemory: false,
};

/** Maintenance of a session without a reply. Its spend belongs to the turn that caused it, so it counts as attended. */
const UPKEEP: RunPolicy = { ...UNATTENDED, lane: "main", isAttended: true, reply: "never", isAside: true, keepsCheckpoints: false };

/** One row per run kind: everything that depends on the kind alone. */
export const RUN_POLICY: Readonly<Record<RunKind, RunPolicy>> = {
  user: PERSON,
  heartbeat: {
    ...UNATTENDED,
    reply: "unless-heartbeat-ok",
    isHostText: true,
    isAnnounced: true,
    historyNotice: "Heartbeat.",
    isAside: true,
    reportsChangesAgain: true,
  },
  cron: { ...UNATTENDED, isAnnounced: true, isHostText: true, givesAddresses: true, historyNotice: "A scheduled job." },
  hook: { ...UNATTENDED, isAnnounced: true, isHostText: true, givesAddresses: true, historyNotice: "A webhook." },
  // The end of a background command, or of a call that was allowed late. Unattended, so that a chain of commands that wake each other has a cap; but somebody asked for the command.
  command: {
    ...UNATTENDED,
    reportsFailure: true,
    sharesTurn: true,
    mayAsk: true,
    changesMemory: true,
    isHostText: true,
    historyNotice: "Work in the background has ended.",
  },
  subagent: {
    ...PERSON,
    lane: "subagent",
    isFromPerson: false,
    showsProgress: false,
    reply: "to-parent",
    isHostText: true,
    givesAddresses: false,
    flushesMemory: false,
    changesMemory: false,
  },
  // It may end in silence. The messages of other sessions have turns of their own; results of sub-agents share a turn.
  a2a: {
    ...PERSON,
    sharesTurn: true,
    isFromPerson: false,
    showsProgress: false,
    givesAddresses: false,
    changesMemory: false,
    historyNotice: "A sub-agent has ended.",
  },
  compaction: { ...UPKEEP, isResumable: false },
  memory: {
    ...UPKEEP,
    compacts: false,
    yieldsToMessages: true,
    onlyAddsNotes: true,
    historyNotice: "Notes are written before older messages are summarised.",
    // Notes written by then are kept, and the conversation is compacted (R9).
    maxMs: 120_000,
  },
};

/** The run kinds whose policy meets a condition. */
export function runKinds(meets: (policy: RunPolicy) => boolean): readonly RunKind[] {
  return RUN_KINDS.filter((kind) => meets(RUN_POLICY[kind]));
}
