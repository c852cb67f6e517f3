import type { InputRecord, TurnRecord } from "@factotum/store";
import type { MsgContext, Origin } from "@factotum/channel-contract";
import type { InlineDirectives } from "./inline-directives.ts";
import type { QueueSettings } from "./queue-settings.ts";

/** One message, and the group history since the last one. */
export interface GatheredMessage {
  readonly input: InputRecord;
  readonly overheard: readonly MsgContext[];
}

/** How an input came to its job. */
export type InputArrival =
  /** It was committed before its job was queued. */
  | { readonly type: "committed" }
  /** Its turn starts before its commit is done. */
  | {
      readonly type: "committing";
      /** Resolves after the commit; rejects when it failed. */
      readonly committed: Promise<void>;
      /** The commit failed: its sender was told, and its id may belong to another input by now. */
      readonly isLost: boolean;
    }
  /** The last process left it, perhaps because it crashed over it: its turn is stored and counted before a model is called. */
  | {
      readonly type: "recovered";
      /** It may have crashed more than one process: it runs with no other such job or interrupted turn, and gathers nothing. */
      readonly isSolo: boolean;
    };

/** Earlier attempts to start the turn of an input. */
export interface AttemptHistory {
  readonly arrival: InputArrival;
  /** How often this process failed to finish it. */
  readonly failures?: number;
}

/** New input, routed to an agent: messages that are answered in one turn, one or several gathered. */
export interface InputJob extends AttemptHistory {
  readonly type: "input";
  readonly agentId: string;
  /** Queue settings that apply while the session is busy. */
  readonly queue: QueueSettings;
  /** Monotonic time of the earliest start. */
  readonly notBeforeMs?: number;
  /** Oldest first. */
  readonly messages: readonly [GatheredMessage, ...(readonly GatheredMessage[])];
  /** Earlier messages over the cap: the model is given one line for each. */
  readonly overflow: readonly InputRecord[];
  /** Inline directives of the messages, for this turn only. A turn resumed after a restart has the settings of the session. */
  readonly directives?: Omit<InlineDirectives, "text">;
  /** Debounce window in milliseconds; messages within it become one input. 0: no debouncing. */
  readonly inboundDebounceMs: number;
  /** Monotonic time at which the debounce window ends. */
  readonly debounceUntilMs?: number;
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
  readonly isSolo?: boolean;
  readonly notBeforeMs?: number;
  /** How often this process failed to finish it. */
  readonly failures?: number;
}

/** Work that must not overlap with a turn of its session: a reset, a deletion, a compaction. */
interface SessionTask {
  readonly type: "task";
  /** Unattended: messages overtake it, and its signal fires when one arrives. */
  readonly isBackground?: boolean;
  /** Must not reject; ends soon once the signal fires. */
  readonly run: (options: { readonly signal: AbortSignal }) => Promise<void>;
  /** Called instead of `run` when the gateway stops first. */
  readonly forget: () => void;
}

/** What a lane works on. */
export type TurnJob = InputJob | ResumeJob | SessionTask;

/** True for a job that is not a turn yet. */
export function isInputJob(job: TurnJob): job is InputJob {
  return job.type === "input";
}

/** True for work that yields to a message: memory notes and background compaction. */
export function isBackground(job: TurnJob): boolean {
  return (job.type === "task" && job.isBackground === true) || (job.type === "resume" && job.turn.kind === "memory");
}

/** True if a job runs while no other such job or interrupted turn does. */
export function isSolo(job: TurnJob): boolean {
  if (job.type === "task") return false;
  return job.type === "resume" ? job.isSolo === true : job.arrival.type === "recovered" && job.arrival.isSolo;
}

/** The input that a job is named by, and whose authority and address it has: its oldest message. */
export function leadInput({ messages: [{ input }] }: InputJob): InputRecord {
  return input;
}

/** Every input that is settled with a job, oldest first. */
export function inputsOf(job: InputJob): readonly InputRecord[] {
  return [...job.overflow, ...job.messages.map(({ input }) => input)];
}

/** The same job with other messages and another overflow; `undefined` when no message is left. */
export function withMessages(
  job: InputJob,
  [first, ...more]: readonly GatheredMessage[],
  overflow: readonly InputRecord[],
): InputJob | undefined {
  return first === undefined ? undefined : { ...job, messages: [first, ...more], overflow };
}

/** The attempt history that a job takes along to another session. */
export function historyOf({ arrival, failures }: InputJob): AttemptHistory {
  return {
    arrival: arrival.type === "recovered" ? arrival : { type: "committed" },
    ...(failures === undefined ? {} : { failures }),
  };
}

/** Where a job came from and is answered. */
export function originOf(job: InputJob | ResumeJob): Origin {
  return job.type === "resume" ? job.turn.origin : leadInput(job).message.origin;
}

/** True if the input of a job was not committed: its sender was told, so the job is dropped. */
export function isLost(job: TurnJob): boolean {
  return isInputJob(job) && job.arrival.type === "committing" && job.arrival.isLost;
}
