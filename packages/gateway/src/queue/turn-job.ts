import { withoutUndefined } from "@factotum/agent-contract";
import type { InputRecord, TurnRecord } from "@factotum/store";
import type { MsgContext, Origin } from "@factotum/channel-contract";
import { RUN_POLICY } from "../run-policy/run-policy.ts";
import type { InlineDirectives } from "./inline-directives.ts";
import type { InputArrival } from "./optimistic-commits.ts";
import type { QueueSettings } from "./queue-settings.ts";

/** A prompt of a source of tools that a message asks for by its slash command. */
export interface AskedPrompt {
  readonly name: string;
  /** The arguments, by name. */
  readonly given: Readonly<Record<string, string>>;
}

/** One message, with the group history since the previous one. */
export interface GatheredMessage {
  readonly input: InputRecord;
  readonly overheard: readonly MsgContext[];
  /** The skill that it invokes by a slash command. */
  readonly skill?: string;
  readonly prompt?: AskedPrompt;
}

/** Earlier attempts to start the turn of an input. */
export interface AttemptHistory {
  readonly arrival: InputArrival;
  /** How often this process failed to complete it. */
  readonly failures?: number;
}

/** A new input, routed to an agent: one or several gathered messages that are answered in one turn. */
export interface InputJob extends AttemptHistory {
  readonly type: "input";
  readonly agentId: string;
  /** Queue settings that apply while the session is busy. */
  readonly queue: QueueSettings;
  /** Monotonic time of the earliest start. */
  readonly notBeforeMs?: number;
  /** Oldest first. */
  readonly messages: readonly [GatheredMessage, ...(readonly GatheredMessage[])];
  /** Earlier messages over the cap: the model is given one line for each of them. */
  readonly overflow: readonly InputRecord[];
  /** Inline directives of the messages, for this turn only. A turn that is resumed after a restart uses the session's settings. */
  readonly directives?: Omit<InlineDirectives, "text">;
  /** Debounce window in milliseconds; messages within it become one input. 0: no debouncing. */
  readonly inboundDebounceMs: number;
  /** Monotonic time at which the debounce window ends. */
  readonly debounceUntilMs?: number;
}

/** A turn that has started and not ended: left over by the last process, or requeued after a failed attempt. */
export interface ResumeJob {
  readonly type: "resume";
  readonly turn: TurnRecord;
  /** Its attempt was already counted. */
  readonly isCounted?: boolean;
  /** It is unattended and a message waits for its session: conclude it instead of resuming it. */
  readonly yields?: boolean;
  /** It is resumed while no other interrupted turn runs. */
  readonly isSolo?: boolean;
  readonly notBeforeMs?: number;
  /** How often this process failed to complete it. */
  readonly failures?: number;
}

/** Work that must not overlap with a turn of its session: a reset, a deletion, a compaction. */
interface SessionTask {
  readonly type: "task";
  /** Unattended: messages overtake it, and its signal fires when one arrives. */
  readonly isBackground?: boolean;
  /** Must not reject; ends soon after the signal fires. */
  readonly run: (options: { readonly signal: AbortSignal }) => Promise<void>;
  /** Called instead of `run` if the gateway stops first. */
  readonly forget: () => void;
}

/** An item of a session's lane. */
export type TurnJob = InputJob | ResumeJob | SessionTask;

/** True for a job whose turn does not exist yet. */
export function isInputJob(job: TurnJob): job is InputJob {
  return job.type === "input";
}

/** True for work that yields to a message: memory notes and background compaction. */
export function isBackground(job: TurnJob): boolean {
  return (job.type === "task" && job.isBackground === true) || (job.type === "resume" && RUN_POLICY[job.turn.kind].yieldsToMessages);
}

/** True for a job that must not run together with another solo job. */
export function isSolo(job: TurnJob): boolean {
  if (job.type === "task") return false;
  return job.type === "resume" ? job.isSolo === true : job.arrival.type === "recovered" && job.arrival.isSolo;
}

/** The oldest message of a job: the job has its id, authority and address. */
export function leadInput({ messages: [{ input }] }: InputJob): InputRecord {
  return input;
}

/** Every input that is settled with a job, oldest first. */
export function inputsOf(job: InputJob): readonly InputRecord[] {
  return [...job.overflow, ...job.messages.map(({ input }) => input)];
}

/** The same job with other messages and another overflow; `undefined` if no message is left. */
export function withMessages(
  job: InputJob,
  [first, ...more]: readonly GatheredMessage[],
  overflow: readonly InputRecord[],
): InputJob | undefined {
  return first === undefined ? undefined : { ...job, messages: [first, ...more], overflow };
}

/** The attempt history to keep when a job moves to another session. */
export function historyOf({ arrival, failures }: InputJob): AttemptHistory {
  return {
    arrival: arrival.type === "recovered" ? arrival : { type: "committed" },
    ...withoutUndefined({ failures }),
  };
}

/** The origin that a job came from and is answered at. */
export function originOf(job: InputJob | ResumeJob): Origin {
  return job.type === "resume" ? job.turn.origin : leadInput(job).message.origin;
}

/** The skills that a job's messages invoke. */
export function skillsOf({ messages }: InputJob): readonly string[] {
  return messages.flatMap(({ skill }) => skill ?? []);
}
