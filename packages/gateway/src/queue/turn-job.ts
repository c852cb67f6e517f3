import type { InputRecord, TurnRecord } from "@factotum/store";
import type { MsgContext, Origin } from "@factotum/channel-contract";
import { withoutUndefined } from "@factotum/agent-contract";
import type { InlineDirectives } from "./inline-directives.ts";
import type { QueueSettings } from "./queue-settings.ts";

/** One message, and the group history since the last one. */
export interface GatheredMessage {
  readonly input: InputRecord;
  readonly overheard: readonly MsgContext[];
}

/** The commit of an input whose turn starts before it is done. */
interface Arrival {
  /** Resolves after the commit; rejects when it failed. */
  readonly committed: Promise<void>;
  /** The commit failed: its sender was told, and its id may belong to another input by now. */
  readonly isLost: boolean;
}

/** Earlier attempts to start the turn of an input. */
export interface AttemptHistory {
  /** How often this process failed to finish it. */
  readonly failures?: number;
  /** The last process left it, perhaps because it crashed over it: its turn is stored and counted before a model is called. */
  readonly isRecovered?: boolean;
  /** It may have crashed more than one process: it runs with no other such job or interrupted turn, and gathers nothing. */
  readonly runsAlone?: boolean;
}

/** New input, routed to an agent: one message, or several gathered into one turn. */
export interface InputJob extends GatheredMessage, AttemptHistory {
  readonly type: "input";
  readonly agentId: string;
  readonly isReset?: boolean;
  /** Inline directives of the message, for this turn only. A turn resumed after a restart has the settings of the session. */
  readonly directives?: Omit<InlineDirectives, "text">;
  /** Queue settings that apply while the session is busy. */
  readonly queue: QueueSettings;
  /** Debounce window in milliseconds; messages within it become one input. Unset: no debouncing. */
  readonly inboundDebounceMs?: number;
  /** Monotonic time at which the debounce window ends. */
  readonly debounceUntilMs?: number;
  /** Later messages gathered with the first one. */
  readonly more?: readonly GatheredMessage[];
  /** Earlier messages over the cap: the model is given one line for each. */
  readonly overflow?: readonly InputRecord[];
  /** Monotonic time of the earliest start. */
  readonly notBeforeMs?: number;
  /** Unset once the input is committed. */
  readonly arrival?: Arrival;
}

/** A turn that was started and has not ended: the last process left it, or an attempt failed. */
export interface ResumeJob {
  readonly type: "resume";
  readonly turn: TurnRecord;
  /** Its attempt is counted already. */
  readonly isCounted?: boolean;
  /** It is unattended and a message waits for its session: end it instead of resuming it. */
  readonly yields?: boolean;
  /** It is resumed while no other interrupted turn runs. */
  readonly runsAlone?: boolean;
  readonly notBeforeMs?: number;
  /** How often this process failed to finish it. */
  readonly failures?: number;
}

/** What a lane works on. */
export type TurnJob =
  | InputJob
  | ResumeJob
  /** Work that must not overlap with a turn of the session: a reset, a deletion, a compaction. */
  | {
      readonly type: "task";
      /** Unattended: messages overtake it, and its signal fires when one arrives. */
      readonly isBackground?: boolean;
      /** Must not reject; ends soon once the signal fires. */
      readonly run: (options: { readonly signal: AbortSignal }) => Promise<void>;
      /** Called instead of `run` when the gateway stops first. */
      readonly forget: () => void;
    };

/** True for work that yields to a message: memory notes and background compaction. */
export function isBackground(job: TurnJob): boolean {
  return (job.type === "task" && job.isBackground === true) || (job.type === "resume" && job.turn.kind === "memory");
}

/** All messages of a job, oldest first. */
export function messagesIn(job: InputJob): readonly GatheredMessage[] {
  return [{ input: job.input, overheard: job.overheard }, ...(job.more ?? [])];
}

/** Every input that is settled with a job, oldest first. */
export function inputsOf(job: InputJob): readonly InputRecord[] {
  return [...(job.overflow ?? []), ...messagesIn(job).map(({ input }) => input)];
}

/** The attempt history of a job. */
export function historyOf({ failures, isRecovered, runsAlone }: InputJob): AttemptHistory {
  return {
    ...withoutUndefined({ failures, isRecovered, runsAlone }),
  };
}

/** Where a job came from and is answered. */
export function originOf(job: Exclude<TurnJob, { readonly type: "task" }>): Origin {
  return job.type === "input" ? job.input.message.origin : job.turn.origin;
}

/** True if the input of a job was not committed: its sender was told, so the job is dropped. */
export function isLost(job: TurnJob): boolean {
  return job.type === "input" && job.arrival?.isLost === true;
}
