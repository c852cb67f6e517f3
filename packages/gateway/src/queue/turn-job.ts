import type { InputRecord, TurnRecord } from "@factotum/store";
import type { MsgContext, Origin } from "@factotum/channel-contract";
import type { InlineDirectives } from "./inline-directives.ts";
import type { QueueSettings } from "./queue-settings.ts";

/** One message that was said, and what was said in its group since the last one. */
export interface GatheredMessage {
  readonly input: InputRecord;
  readonly overheard: readonly MsgContext[];
}

/** Whether an input is there at all whose turn begins while it is being committed. */
interface Arrival {
  /** Resolves after the commit; rejects when there was none. */
  readonly committed: Promise<void>;
  /** There was none: whoever said it knows, and its id may be another input's by now. */
  readonly isLost: boolean;
}

/** What is known of earlier attempts to begin the turn of an input. */
export interface AttemptHistory {
  /** How often this process could not finish it. */
  readonly failures?: number;
  /** It waited, and the process may have ended over it: its turn is on disk, and counted, before anything is asked of a model. */
  readonly isRecovered?: boolean;
  /** More than one process may have ended over it: no other such job or interrupted turn runs beside it, and nothing is gathered with it. */
  readonly runsAlone?: boolean;
}

/** New input, routed to an agent: one message, or several that were gathered into one turn. */
export interface InputJob extends GatheredMessage, AttemptHistory {
  readonly type: "input";
  readonly agentId: string;
  readonly isReset?: boolean;
  /** What the message asked for beside its text, for its own turn alone. A turn that goes on after a restart has the session's settings. */
  readonly directives?: Omit<InlineDirectives, "text">;
  /** What holds for it while its session is busy. */
  readonly queue: QueueSettings;
  /** How long nothing more may come before it is begun, so that what is said in one breath is one input; nothing for what waits for nobody. */
  readonly inboundDebounceMs?: number;
  /** Monotonic time until which more of the same breath may come. */
  readonly debounceUntilMs?: number;
  /** Messages behind the first one that were gathered with it. */
  readonly more?: readonly GatheredMessage[];
  /** Messages before it that there was no room for: the turn tells the model of each in a line. */
  readonly overflow?: readonly InputRecord[];
  /** Monotonic time before which it is not begun. */
  readonly notBeforeMs?: number;
  /** Absent for what is committed. */
  readonly arrival?: Arrival;
}

/** A turn that was begun and has not ended: the last process left it, or it could not be finished. */
export interface ResumeJob {
  readonly type: "resume";
  readonly turn: TurnRecord;
  /** It was begun a moment ago, and its attempt is counted. */
  readonly isCounted?: boolean;
  /** A message waits for the session, and nobody for this turn: it is ended in place of going on. */
  readonly yields?: boolean;
  /** Interrupted turns are resumed one at a time: no other one runs beside it. */
  readonly runsAlone?: boolean;
  readonly notBeforeMs?: number;
  /** How often this process could not finish it. */
  readonly failures?: number;
}

/** What a lane works on. */
export type TurnJob =
  | InputJob
  | ResumeJob
  /** Something that must not overlap with a turn of the session: a reset, a removal, a summary. */
  | {
      readonly type: "task";
      /** No person waits for it: messages go before it, and the signal fires when one comes. */
      readonly isBackground?: boolean;
      /** Must not reject; ends soon once the signal fires. */
      readonly run: (options: { readonly signal: AbortSignal }) => Promise<void>;
      /** In place of `run`, when the gateway ends before. */
      readonly forget: () => void;
    };

/** True for work that makes way for a message: notes, and what is done behind a turn. */
export function isBackground(job: TurnJob): boolean {
  return (job.type === "task" && job.isBackground === true) || (job.type === "resume" && job.turn.kind === "memory");
}

/** Everything that was said in a job, oldest first. */
export function messagesIn(job: InputJob): readonly GatheredMessage[] {
  return [{ input: job.input, overheard: job.overheard }, ...(job.more ?? [])];
}

/** Every input that is settled with a job, oldest first. */
export function inputsOf(job: InputJob): readonly InputRecord[] {
  return [...(job.overflow ?? []), ...messagesIn(job).map(({ input }) => input)];
}

/** The history of a job alone. */
export function historyOf({ failures, isRecovered, runsAlone }: InputJob): AttemptHistory {
  return {
    ...(failures === undefined ? {} : { failures }),
    ...(isRecovered === undefined ? {} : { isRecovered }),
    ...(runsAlone === undefined ? {} : { runsAlone }),
  };
}

/** Where a job was asked for, and is answered. */
export function originOf(job: Exclude<TurnJob, { readonly type: "task" }>): Origin {
  return job.type === "input" ? job.input.message.origin : job.turn.origin;
}

/** Whoever said it was told that it was not taken: there is nothing to work on, and nobody else to tell. */
export function isLost(job: TurnJob): boolean {
  return job.type === "input" && job.arrival?.isLost === true;
}
