import { isDeepStrictEqual } from "node:util";
import { withoutUndefined } from "@factotum/agent-contract";
import type { Clock, RunKind } from "@factotum/agent-contract";
import type { Origin } from "@factotum/channel-contract";
import type { InputRecord, TurnRecord } from "@factotum/store";
import { conversationKey } from "../kernel/conversation-key.ts";
import { causeOf } from "../run-policy/input-traits.ts";
import { RUN_POLICY, type LaneName, type RunPolicy } from "../run-policy/run-policy.ts";
import { inputsOf, isBackground, isInputJob, leadInput, originOf, isSolo, withMessages } from "./turn-job.ts";
import type { AttemptHistory, InputJob, ResumeJob, TurnJob } from "./turn-job.ts";
import { LaneInterrupt, LaneYield } from "../kernel/lane-abort.ts";
import { SessionLanes } from "./session-lanes.ts";
import type { SessionLanesOptions } from "./session-lanes.ts";
import type { QueueWaitReason } from "./wait-reason.ts";

/** Maximum overflow messages of a turn; older ones are dropped and their senders notified. */
const MAX_SHORTENED = 100;

/** Construction of the queue. */
export interface TurnQueueOptions extends Pick<SessionLanesOptions<TurnJob>, "capacities"> {
  readonly clock: Clock;
}

/** Processes queued work and receives its events. */
export interface TurnWorker extends Pick<SessionLanesOptions<TurnJob>, "process" | "onQueueChange" | "onError"> {
  /** An input was dropped because of the cap; its sender must be notified. */
  readonly onDropped: (sessionKey: string, input: InputRecord) => void;
  /** An input belongs to another session now: route it again with the attempt history of its job. Resolves once it is queued. */
  readonly onMisplaced: (input: InputRecord, history: AttemptHistory) => Promise<void>;
}

/**
 * Decides what happens to work while its session is busy: queue modes, the cap and the drop policy. All decisions are synchronous, and the queue holds no state
 * of its own: an input stays in the inbox until a turn has it.
 */
export class TurnQueue {
  readonly lanes: SessionLanes<TurnJob>;
  readonly #clock: Clock;
  #worker: TurnWorker | undefined;

  constructor(options: TurnQueueOptions) {
    this.#clock = options.clock;
    this.lanes = new SessionLanes<TurnJob>({
      ...options,
      process: async (...work) => this.#served.process(...work),
      onQueueChange: (...change) => this.#served.onQueueChange(...change),
      onError: (...failure) => this.#served.onError(...failure),
      laneOf,
      // Inputs and turns are stored; only the caller knows of a task.
      onForgotten: (_sessionKey, job) => {
        if (job.type === "task") job.forget();
      },
      notBeforeMs: (job) => (job.type === "task" ? undefined : job.notBeforeMs),
      overtakes,
      goesFirst: (job) => job.type === "resume",
      isSolo,
    });
  }

  /** Sets the worker. Call it once, before anything is queued. */
  serve(worker: TurnWorker): void {
    this.#worker = worker;
  }

  get #served(): TurnWorker {
    if (this.#worker === undefined) throw new Error("nobody works on this queue yet");
    return this.#worker;
  }

  /**
   * Resumes the turns that the last process left running. After a first crash they are resumed concurrently. If one of them was interrupted before, so that
   * there was a second crash, they are resumed one at a time: another crash can then be attributed. Those with the fewest attempts go first, so that they do
   * not wait until a crashing turn is given up.
   */
  resume(turns: readonly TurnRecord[]): void {
    const isAttributed = turns.some(({ starts }) => starts > 1);
    for (const turn of turns.toSorted((one, other) => one.attempts - other.attempts))
      this.lanes.enqueue(turn.sessionKey, { type: "resume", turn, ...(isAttributed ? { isSolo: true } : {}) });
  }

  /** Queues an input by its queue mode. */
  add(sessionKey: string, arrived: InputJob): void {
    const job = this.#withDebounceWindow(arrived);
    const current = this.lanes.current(sessionKey);
    if (policyOf(job).isAttended) this.#preemptBackgroundRun(sessionKey);
    const isBusy =
      (current !== undefined && !isBackground(current)) || this.lanes.waiting(sessionKey).some((waiting) => !isBackground(waiting));
    const shared = policyOf(job).sharesTurn ? this.#waitingInputs(sessionKey).find((waiting) => isTogether(waiting, job)) : undefined;
    if (shared !== undefined) return void this.lanes.replace(sessionKey, shared, gather(shared, job));
    if (!policyOf(job).isFromPerson || !isBusy) return this.lanes.enqueue(sessionKey, job);
    const begun = this.#debounceHost(sessionKey, job);
    if (begun !== undefined) return void this.lanes.replace(sessionKey, begun, gather(begun, this.#collected(job)));
    const fitting = this.#enforceCap(sessionKey, job);
    if (fitting === undefined) return;
    const host = gathers(fitting) ? this.#host(sessionKey, fitting) : undefined;
    const held = this.#collected(fitting);
    if (host === undefined) this.lanes.enqueue(sessionKey, held);
    else this.lanes.replace(sessionKey, host, gather(host, held));
    if (fitting.queue.mode === "interrupt" && current !== undefined && isSaidInto(fitting, current))
      this.lanes.abort(sessionKey, new LaneInterrupt());
  }

  /** Ends the debounce window of a session: the message held in it becomes ready at once. */
  endDebounce(sessionKey: string): void {
    for (const job of this.#waitingInputs(sessionKey)) {
      if (job.type !== "input" || !this.#isDebouncing(job)) continue;
      const { debounceUntilMs, notBeforeMs, ...rest } = job;
      // `collect` has a window of its own.
      const isLater = notBeforeMs !== undefined && debounceUntilMs !== undefined && notBeforeMs > debounceUntilMs;
      this.lanes.replace(sessionKey, job, isLater ? { ...rest, notBeforeMs } : rest);
    }
  }

  /** Requeues a job that was interrupted before its turn started: it runs next, in one turn with the interrupting message. */
  requeue(sessionKey: string, job: InputJob): void {
    const host = this.#waitingInputs(sessionKey).find((waiting) => isTogether(job, waiting));
    if (host === undefined) this.lanes.prepend(sessionKey, job);
    else this.lanes.replace(sessionKey, host, gather(job, host));
  }

  /** Moves an input of a job that is about to start to the session that the running configuration routes it to. */
  async moveAway(input: InputRecord, history: AttemptHistory): Promise<void> {
    await this.#served.onMisplaced(input, history);
  }

  /** Requeues a job that failed, ahead of everything else in its session. */
  again(sessionKey: string, job: InputJob | ResumeJob, delayMs: number): void {
    this.lanes.prepend(sessionKey, { ...job, notBeforeMs: this.#clock.monotonic() + delayMs });
  }

  /** Waiting messages that may be steered into an active run, oldest first. They stay queued until they are taken. */
  steerable(sessionKey: string, turn: TurnRecord): readonly InputJob[] {
    const found: InputJob[] = [];
    for (const job of this.lanes.waiting(sessionKey)) {
      if (!isInputJob(job)) break;
      if (!isOfConversation(job, turn)) continue;
      // Keeps later messages in order, and waits for an open debounce window.
      if (!mayShareTurn(job) || this.#isDebouncing(job) || job.queue.mode !== "steer" || job.directives !== undefined) break;
      found.push(job);
    }
    return found;
  }

  /** Takes a waiting job for an active run; false when it is gone or has changed. */
  take(sessionKey: string, job: InputJob): boolean {
    return this.lanes.remove(sessionKey, job);
  }

  /** Removes all waiting messages, or those ahead of a job. Waiting resets and deletions stay. */
  dropInputs(sessionKey: string, before?: TurnJob): readonly InputRecord[] {
    const waiting = this.lanes.waiting(sessionKey);
    const ahead = before === undefined ? waiting : waiting.slice(0, Math.max(0, waiting.indexOf(before)));
    const jobs = ahead.filter(isInputJob);
    for (const job of jobs) this.lanes.remove(sessionKey, job);
    return jobs.flatMap(inputsOf);
  }

  /** Removes one input from the queue; false if it does not wait. */
  removeInput(sessionKey: string, inputId: string): boolean {
    const job = this.#waitingInputs(sessionKey).find((waiting) => inputsOf(waiting).some(({ id }) => id === inputId));
    if (job === undefined) return false;
    const overflow = job.overflow.filter(({ id }) => id !== inputId);
    const messages = job.messages.filter(({ input }) => input.id !== inputId);
    const rest = withMessages(job, messages, overflow);
    if (rest === undefined) {
      this.lanes.remove(sessionKey, job);
      // No turn is left to list them.
      for (const input of overflow) this.#served.onDropped(sessionKey, input);
    } else this.lanes.replace(sessionKey, job, rest);
    return true;
  }

  /** Aborts unattended work when a person waits (R7). A turn that has started is concluded before other work of its session starts. */
  #preemptBackgroundRun(sessionKey: string): void {
    const current = this.lanes.current(sessionKey);
    if (current !== undefined && isBackground(current)) this.lanes.abort(sessionKey, new LaneYield());
    for (const job of this.lanes.waiting(sessionKey))
      if (job.type === "resume" && isBackground(job)) this.lanes.replace(sessionKey, job, { ...job, yields: true });
  }

  /** Starts a debounce window, unless the message has an attachment or must be answered alone. */
  #withDebounceWindow(job: InputJob): InputJob {
    const { inboundDebounceMs } = job;
    if (inboundDebounceMs === 0 || !policyOf(job).isFromPerson || !mayShareTurn(job)) return job;
    if (leadInput(job).message.attachments.length > 0) return job;
    const debounceUntilMs = this.#clock.monotonic() + inboundDebounceMs;
    return { ...job, debounceUntilMs, notBeforeMs: debounceUntilMs };
  }

  /** A job with the window of `collect`, for queueing behind other work. */
  #collected(job: InputJob): InputJob {
    if (job.queue.mode !== "collect" || !mayShareTurn(job)) return job;
    return { ...job, notBeforeMs: Math.max(job.notBeforeMs ?? 0, this.#clock.monotonic() + job.queue.debounceMs) };
  }

  /** The waiting job whose debounce window includes a message; `undefined` if there is none or the cap is reached. */
  #debounceHost(sessionKey: string, job: InputJob): InputJob | undefined {
    const last = this.#lastOfConversation(sessionKey, job);
    if (last === undefined || !isTogether(job, last) || !this.#isDebouncing(last)) return undefined;
    return last.messages.length < job.queue.cap ? last : undefined;
  }

  #isDebouncing(job: InputJob): boolean {
    return job.debounceUntilMs !== undefined && job.debounceUntilMs > this.#clock.monotonic();
  }

  /** Enforces the cap; returns the job to queue, or `undefined` if the new job itself is dropped. */
  #enforceCap(sessionKey: string, job: InputJob): InputJob | undefined {
    const { cap, drop } = job.queue;
    let fitting = job;
    for (;;) {
      const jobs = this.#waitingInputs(sessionKey).filter((waiting) => policyOf(waiting).isFromPerson);
      const [oldest] = jobs;
      if (oldest === undefined || jobs.reduce((sum, waiting) => sum + waiting.messages.length, 0) < cap) return fitting;
      if (drop === "new") {
        this.#served.onDropped(sessionKey, leadInput(job));
        return undefined;
      }
      fitting = this.#dropOldest(sessionKey, oldest, fitting);
    }
  }

  /** Removes the oldest message: into the overflow of a later turn, or dropped and reported. */
  #dropOldest(sessionKey: string, job: InputJob, newest: InputJob): InputJob {
    const [, ...others] = job.messages;
    const told = [...job.overflow, leadInput(job)];
    const isKept = newest.queue.drop === "summarize" && mayShareTurn(job);
    if (others.length > 0) {
      const overflow = isKept ? this.#shorten(sessionKey, told, []) : job.overflow;
      if (!isKept) this.#served.onDropped(sessionKey, leadInput(job));
      this.lanes.replace(sessionKey, job, withMessages(job, others, overflow) ?? job);
      return newest;
    }
    this.lanes.remove(sessionKey, job);
    const host = isKept ? this.#waitingInputs(sessionKey).find((waiting) => isTogether(job, waiting)) : undefined;
    if (host !== undefined) this.lanes.replace(sessionKey, host, { ...host, overflow: this.#shorten(sessionKey, told, host.overflow) });
    else if (isKept && isTogether(job, newest)) return { ...newest, overflow: this.#shorten(sessionKey, told, newest.overflow ?? []) };
    else for (const input of told) this.#served.onDropped(sessionKey, input);
    return newest;
  }

  #shorten(sessionKey: string, older: readonly InputRecord[], newer: readonly InputRecord[]): readonly InputRecord[] {
    const all = [...older, ...newer];
    for (const input of all.slice(0, -MAX_SHORTENED)) this.#served.onDropped(sessionKey, input);
    return all.slice(-MAX_SHORTENED);
  }

  /** The waiting job that gathers a new one: the last of its conversation, to keep the order. */
  #host(sessionKey: string, job: InputJob): InputJob | undefined {
    const last = this.#lastOfConversation(sessionKey, job);
    return last !== undefined && gathers(last) && isTogether(job, last) ? last : undefined;
  }

  #lastOfConversation(sessionKey: string, job: InputJob): InputJob | undefined {
    return this.#waitingInputs(sessionKey).findLast((waiting) => isSameConversation(waiting, job));
  }

  /** What a person's message of this conversation, or of the whole session, waits for; `undefined` if none waits. */
  waitReason(sessionKey: string, target?: Origin): QueueWaitReason | undefined {
    const key = target === undefined ? undefined : conversationKey(target);
    const waiting = this.lanes.waiting(sessionKey);
    const at = waiting.findIndex(
      (job) => job.type !== "task" && policyOf(job).isFromPerson && (key === undefined || conversationKey(originOf(job)) === key),
    );
    const job = waiting[at];
    if (job === undefined || job.type === "task") return undefined;
    if ((job.notBeforeMs ?? 0) > this.#clock.monotonic()) return "held";
    if (this.lanes.current(sessionKey) !== undefined) return "earlier";
    const [head] = waiting;
    if (head !== undefined && isSolo(head)) return "restart";
    return at > 0 ? "earlier" : "place";
  }

  /** True while a turn for this address is running or waiting. */
  worksFor(sessionKey: string, target: Origin): boolean {
    const jobs = [this.lanes.current(sessionKey), ...this.lanes.waiting(sessionKey)];
    const key = conversationKey(target);
    return jobs.some((job) => {
      if (job === undefined || job.type === "task") return false;
      return conversationKey(originOf(job)) === key;
    });
  }

  /** True while the running job is for this input alone. */
  worksOn(sessionKey: string, inputId: string): boolean {
    const job = this.lanes.current(sessionKey);
    if (job === undefined || job.type === "task") return false;
    const ids = job.type === "resume" ? job.turn.inputIds : inputsOf(job).map(({ id }) => id);
    return ids.every((id) => id === inputId) && ids.length > 0;
  }

  #waitingInputs(sessionKey: string): readonly InputJob[] {
    return this.lanes.waiting(sessionKey).filter(isInputJob);
  }
}

function kindOf(job: TurnJob): RunKind {
  if (job.type === "task") return "user";
  return job.type === "resume" ? job.turn.kind : leadInput(job).admission.kind;
}

function policyOf(job: TurnJob): RunPolicy {
  return RUN_POLICY[kindOf(job)];
}

/** Attended work overtakes unattended work. A turn that has started is never overtaken. */
function overtakes(job: TurnJob, waiting: TurnJob): boolean {
  if (isBackground(job) || !policyOf(job).isAttended) return false;
  if (waiting.type === "task") return isBackground(waiting);
  return isInputJob(job) && policyOf(job).isFromPerson && isInputJob(waiting) && !policyOf(waiting).isAttended;
}

function laneOf(job: TurnJob): LaneName {
  if (isBackground(job)) return job.type === "resume" && job.yields === true ? "main" : "cron";
  const own = policyOf(job);
  if (!isInputJob(job) || own.lane !== "main") return own.lane;
  const first = causeOf(leadInput(job).admission);
  // What unattended work asks of another session, or has handed out, shares its capacity (R7). Sub-agents have one of their own.
  return first !== undefined && !RUN_POLICY[first].isAttended ? RUN_POLICY[first].lane : own.lane;
}

/** False for a job that must run alone: by request, or because it may have crashed the gateway. */
function mayShareTurn(job: InputJob): boolean {
  return leadInput(job).admission.ownTurn !== true && !isSolo(job);
}

function gathers({ queue }: InputJob): boolean {
  return queue.mode === "collect" || queue.mode === "interrupt";
}

/** True if two jobs may share a turn: same conversation, authority, bounds and agent. */
function isTogether(one: InputJob, other: InputJob): other is InputJob {
  return (
    mayShareTurn(one) &&
    mayShareTurn(other) &&
    one.agentId === other.agentId &&
    kindOf(one) === kindOf(other) &&
    leadInput(one).admission.owner === leadInput(other).admission.owner &&
    leadInput(one).admission.cause === leadInput(other).admission.cause &&
    isDeepStrictEqual(leadInput(one).admission.job, leadInput(other).admission.job) &&
    isSameConversation(one, other)
  );
}

function isSameConversation(one: InputJob, other: InputJob): boolean {
  return conversationKey(originOf(one)) === conversationKey(originOf(other));
}

/** True if the turn has the address and the authority of the message (R4, R19). */
function isOfConversation(job: InputJob, turn: TurnRecord): boolean {
  const input = leadInput(job);
  return (
    isSteered(turn.kind, input.admission.kind) &&
    turn.agentId === job.agentId &&
    turn.owner === input.admission.owner &&
    conversationKey(turn.origin) === conversationKey(input.message.origin)
  );
}

/** A person's message goes into the run of a person's message; messages to a sub-agent, and the results of its own sub-agents, into its run. */
function isSteered(running: RunKind, arrived: RunKind): boolean {
  if (running === "subagent") return arrived === "subagent";
  return RUN_POLICY[running].isFromPerson && RUN_POLICY[arrived].isFromPerson;
}

function isSaidInto(job: InputJob, current: TurnJob): boolean {
  if (current.type === "task") return false;
  return current.type === "resume" ? mayShareTurn(job) && isOfConversation(job, current.turn) : isTogether(current, job);
}

/** Merges two jobs; on conflicting inline directives the later message wins. */
function gather(earlier: InputJob, later: InputJob): InputJob {
  const { notBeforeMs: _held, debounceUntilMs: _debounced, ...rest } = earlier;
  const overflow = [...(earlier.overflow ?? []), ...(later.overflow ?? [])];
  const directives = { ...earlier.directives, ...later.directives };
  return {
    ...rest,
    queue: later.queue,
    messages: [...earlier.messages, ...later.messages],
    ...(overflow.length === 0 ? {} : { overflow }),
    ...(Object.keys(directives).length === 0 ? {} : { directives }),
    ...withoutUndefined({ notBeforeMs: later.notBeforeMs, debounceUntilMs: later.debounceUntilMs }),
  };
}
