import type { InputPolicy } from "../conversation/input-policy.ts";
import type { TurnQueue } from "../queue/turn-queue.ts";
import type { Logger, Clock, AssistantMessage, SkillUse, SteeringQueue, UserMessage } from "@factotum/agent-contract";
import type { InputRecord, TurnStore } from "@factotum/store";
import type { InputWatchers } from "../queue/run-report.ts";
import type { SessionEvents } from "../events/session-events.ts";
import type { MediaStage } from "../media/media-stage.ts";
import type { SessionCache } from "../context/session-cache.ts";
import type { RunningConfig } from "../agents/running-config.ts";
import type { RequestRecorder } from "../requests/request-recorder.ts";
import type { PreparedTurn } from "../preparation/prepared-turn.ts";
import { publishEntry } from "../delivery/publish-entry.ts";
import type { ResumedRun } from "./resume-calls.ts";
import { hasKeptAuthority } from "../conversation/current-authorization.ts";
import { inputsOf, leadInput, skillsOf } from "../queue/turn-job.ts";
import type { InputJob } from "../queue/turn-job.ts";
import type { TurnMessages } from "../messages/turn-messages.ts";
import { raceAbort } from "../kernel/race-abort.ts";

/** Dependencies of turn steering. */
export interface TurnSteeringOptions {
  /** Waiting messages that may be steered into an active turn. */
  readonly queue: TurnQueue;
  readonly policy: InputPolicy;
  readonly store: TurnStore;
  readonly running: RunningConfig;
  readonly messages: TurnMessages;
  readonly cache: SessionCache;
  readonly media: MediaStage;
  readonly events: SessionEvents;
  readonly watchers: InputWatchers;
  readonly skillUse: SkillUse;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Steers waiting messages into an active run. A message leaves the queue once it is rendered, and joins the stored turn when the loop reports that it has it:
 * after the results that were due before, and before the next request. Until then it is an ordinary waiting input, which a crash leaves to the next start.
 */
export class TurnSteering implements SteeringQueue {
  readonly #prepared: PreparedTurn;
  readonly #options: TurnSteeringOptions;
  readonly #signal: AbortSignal;
  readonly #playedAnswer: AssistantMessage | undefined;
  /**
   * True after the first answer of this run. Nothing is steered before it: messages before the first request get a turn of their own, and nothing may come
   * between a replayed answer and its results.
   */
  #isOpen = false;
  #taken: { readonly job: InputJob; readonly messages: readonly UserMessage[] }[] = [];
  readonly #joinedIds: string[] = [];
  readonly #said: InputRecord[];

  constructor(
    prepared: PreparedTurn,
    options: TurnSteeringOptions,
    run: { readonly resumed: ResumedRun | undefined; readonly signal: AbortSignal },
  ) {
    this.#prepared = prepared;
    this.#options = options;
    this.#signal = run.signal;
    this.#playedAnswer = run.resumed?.answer;
    this.#said = [...prepared.inputs];
  }

  /** Ids of the turn's inputs, including those that have joined it. */
  get inputIds(): readonly string[] {
    return [...this.#prepared.turn.inputIds, ...this.#joinedIds];
  }

  /** All inputs of the run, as committed. */
  get said(): readonly InputRecord[] {
    return this.#said;
  }

  /** The model has answered. */
  onAnswer(answer: AssistantMessage): void {
    if (answer !== this.#playedAnswer) this.#isOpen = true;
  }

  /** The next request is due: a replayed answer has its results. */
  onTurnStart(turn: number): void {
    if (turn > 1) this.#isOpen = true;
  }

  async take(): Promise<readonly UserMessage[]> {
    const { turn, facts, request } = this.#prepared;
    if (!this.#isOpen) return [];
    const found: UserMessage[] = [];
    for (const job of this.#options.queue.steerable(turn.sessionKey, turn)) {
      // A job whose authority or session has changed waits and is reauthorized on its own.
      if (!hasKeptAuthority(turn.sessionKey, job, this.#options.policy, this.#options.running.config)) break;
      const messages = await this.#render(job, { facts, tools: request.tools, signal: this.#signal });
      // The job may have been dropped, or the run stopped: leave it to the queue.
      if (messages === undefined || this.#signal.aborted || !this.#options.queue.take(turn.sessionKey, job)) break;
      this.#taken.push({ job, messages });
      this.#said.push(...inputsOf(job));
      this.#options.skillUse.invoked(facts, skillsOf(job));
      found.push(...messages);
    }
    return found;
  }

  /** Renders a message; a stopped run does not wait for a rendering that hangs. */
  async #render(job: InputJob, request: Parameters<TurnMessages["join"]>[1]): Promise<readonly UserMessage[] | undefined> {
    try {
      const { clock, messages } = this.#options;
      return await raceAbort(messages.join(job, request, this.#prepared), { signal: request.signal, clock });
    } catch (error) {
      // It gets a turn of its own, which fails visibly; messages that were already taken are steered anyway.
      if (!request.signal.aborted)
        this.#options.logger.warn("A message could not be steered into a turn", { inputId: leadInput(job).id, error });
      return undefined;
    }
  }

  /** Commits the messages that the loop has taken. Earlier entries must be committed. */
  async join(requests: RequestRecorder): Promise<void> {
    const { turn } = this.#prepared;
    const { store, clock, cache, watchers } = this.#options;
    const taken = this.#taken;
    const inputs = taken.flatMap(({ job }) => inputsOf(job));
    const inputIds = inputs.map(({ id }) => id);
    if (inputIds.length === 0) return;
    const entries = taken.flatMap(({ messages }) => messages.map((message) => ({ type: "message" as const, message })));
    const written = await store.joinTurn(turn.id, { inputIds, entries, timestampMs: clock.now() });
    this.#taken = [];
    this.#joinedIds.push(...inputIds);
    requests.recordWritten(written);
    cache.append(turn.sessionId, written);
    watchers.claimed(inputIds, turn.id);
    for (const entry of written) publishEntry(this.#options, turn.sessionKey, entry, turn.id);
    for (const { message } of inputs) await this.#options.media.release(message);
  }

  /** Requeues messages that were taken but not committed, after the run has failed. */
  requeue(): void {
    const { sessionKey } = this.#prepared.turn;
    for (const { job } of this.#taken.splice(0).toReversed())
      this.#options.queue.again(sessionKey, { ...job, failures: (job.failures ?? 0) + 1 }, 0);
  }
}
