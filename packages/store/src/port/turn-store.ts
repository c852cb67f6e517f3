import type { UsageTotals } from "@factotum/agent-contract";
import type { MessageId, Origin } from "@factotum/channel-contract";
import type { NewRequest } from "./ledger-store.ts";
import type { KeyedNotice, NewOutbound } from "./outbox-store.ts";
import type { InputRecord, TerminalInputState } from "./inbox-records.ts";
import type { OutboxRecord } from "./outbox-records.ts";
import type { SessionRecord } from "./session-records.ts";
import type { PromptRecord, TranscriptBody, TranscriptEntry } from "./transcript-records.ts";
import type { ToolJournalRecord, TurnRecord, TurnState } from "./turn-records.ts";
import type { NewSession } from "./session-store.ts";
import type { EndedSpawn, NewSpawn, OwnInput, SpawnEnd } from "./spawn-store.ts";

/** The start of a turn. */
export interface NewTurn {
  readonly id: string;
  /** Created, with these values, when the key is new; else only `touch` is applied. */
  readonly session: NewSession;
  readonly touch: SessionTouch;
  readonly kind: TurnRecord["kind"];
  readonly origin: Origin;
  readonly owner: boolean;
  readonly inputIds: readonly string[];
  /** Waiting events that its user entry shows: settled as `shown` in the same commit. An event that no longer waits is unchanged. */
  readonly shownEventIds?: readonly string[];
  readonly replyTo?: MessageId;
  /** The user's entry, as it will be sent. */
  readonly entries: readonly TranscriptBody[];
  /** Stored if it was rendered for this turn. */
  readonly prompt?: Omit<PromptRecord, "sessionId">;
  readonly startedAtMs: number;
}

/** The changes to the session at a turn's start. */
export interface SessionTouch {
  readonly interactedAtMs?: number;
  readonly lastOrigin?: Origin;
  /** Set once anyone but the owner has written; only a reset clears it. */
  readonly endsPrivacy?: boolean;
  /** The turn writes the notes that precede a compaction. */
  readonly memoryFlushAtMs?: number;
  /** The title of the session from now on, until a person names it. */
  readonly displayName?: string;
}

/** A turn that was started. */
export interface StartedTurn {
  readonly turn: TurnRecord;
  readonly session: SessionRecord;
  readonly entries: readonly TranscriptEntry[];
}

/** The end of a turn, in one commit. */
export interface TurnEnd {
  readonly turnId: string;
  readonly state: "done" | "aborted" | "failed";
  readonly failure?: TurnRecord["failure"];
  readonly entries: readonly TranscriptBody[];
  readonly outbox: readonly NewOutbound[];
  readonly requests?: readonly NewRequest[];
  /** Usage of the whole run; added to the session's. */
  readonly usage: UsageTotals;
  /** Its model was given no text of others (R23). */
  readonly untainted?: true;
  /** Applied to every input of the turn. `waiting`: the inputs are requeued for another turn. */
  readonly inputState: TerminalInputState | { readonly type: "waiting" };
  /** It had nothing to say: readers of the conversation are not shown its entries. */
  readonly isSilent?: boolean;
  /** The turn was started by a person, who was active until now. */
  readonly interactedAtMs?: number;
  /** The turn was to write the notes that precede a compaction, but yielded: they are still due. */
  readonly forgetsMemoryFlush?: boolean;
  /** The answer of a heartbeat that was sent, for the session. */
  readonly heartbeat?: { readonly text: string; readonly sentAtMs: number };
  /** A record of the answer for the session of another conversation, unless one with its key exists. */
  readonly announcement?: { readonly sessionId: string; readonly body: KeyedNotice };
  /** Sub-agents that its last tool calls have started. */
  readonly spawns?: readonly NewSpawn[];
  /** An input with which the session of the turn continues. */
  readonly followUp?: OwnInput;
  /** The sub-agent that ends with the turn. */
  readonly spawnEnd?: SpawnEnd;
  readonly endedAtMs: number;
}

/** What the end of a turn has stored. */
export interface EndedTurn {
  readonly entries: readonly TranscriptEntry[];
  readonly outbox: readonly OutboxRecord[];
  readonly session: SessionRecord;
  /** The inputs of the sub-agents that it has started, in order. */
  readonly inputs: readonly InputRecord[];
  /** The input with which the session continues. */
  readonly followUp?: InputRecord;
  /** The sub-agent that ended with it; absent if it had ended before. */
  readonly ended?: EndedSpawn;
}

/** Turns and the journal of their tool calls. */
export interface TurnStore {
  /** Starts a turn: session, claimed inputs, user entry and prompt in one commit. Rejects with `conflict` if an input is not waiting. */
  startTurn(turn: NewTurn): Promise<StartedTurn>;
  /** Adds inputs that were steered into a running turn, with their user entries. */
  joinTurn(
    turnId: string,
    options: { readonly inputIds: readonly string[]; readonly entries: readonly TranscriptBody[]; readonly timestampMs: number },
  ): Promise<readonly TranscriptEntry[]>;
  /** Appends completed entries of a turn, and writes the journal of tool calls, in one commit. An entry resets `attempts` to one. */
  appendToTurn(
    turnId: string,
    options: {
      readonly entries: readonly TranscriptBody[];
      readonly journal?: readonly Omit<ToolJournalRecord, "turnId">[];
      /** Requests that have ended since the last commit of the turn. */
      readonly requests?: readonly NewRequest[];
      readonly timestampMs: number;
    },
  ): Promise<readonly TranscriptEntry[]>;
  /** The final commit: last entries, outbox, usage, inputs. Rejects with `conflict` if the turn has ended. If it was aborted, its waiting replies are suppressed. */
  endTurn(end: TurnEnd): Promise<EndedTurn>;
  /** Turns that were running when the last process ended, oldest first. */
  resumeTurns(): Promise<readonly TurnRecord[]>;
  /**
   * Counts one more attempt of a running turn and resolves with it; `undefined` if it is no longer running. `isSolo`: no other resumed turn runs at the same
   * time. Rejects with `not-found`, and with `damaged`.
   */
  beginAttempt(turnId: string, options?: { readonly isSolo?: boolean }): Promise<TurnRecord | undefined>;
  /** Takes back the attempt of a running turn after a clean stop: the turn did not cause the end of the process. */
  releaseAttempt(turnId: string): Promise<void>;
  /** True if a turn of the session, before or after resets, came from this chat and was not the owner's; searches the newest 10,000 stored turns. */
  hasTurnFrom(sessionKey: string, chat: Origin): Promise<boolean>;
  readTurn(id: string): Promise<TurnRecord | undefined>;
  /** The turn of a session id with this number. */
  findTurn(sessionId: string, number: number): Promise<TurnRecord | undefined>;
  /** The state of the newest turn of a session id, excluding the kinds in `except`. */
  readLastTurn(sessionId: string, options: { readonly except: readonly TurnRecord["kind"][] }): Promise<TurnState | undefined>;
  /** Those of the session ids whose newest turn, turns of the `except` kinds left out, was aborted. */
  listAborted(sessionIds: readonly string[], options: { readonly except: readonly TurnRecord["kind"][] }): Promise<ReadonlySet<string>>;
  /** The journal of a running turn; a turn that has ended needs none. */
  readJournal(turnId: string): Promise<readonly ToolJournalRecord[]>;
}
