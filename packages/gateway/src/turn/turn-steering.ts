import type { InputPolicy } from "../conversation/input-policy.ts";
import type { TurnQueue } from "../queue/turn-queue.ts";
import type { Logger, Clock, AssistantMessage, SteeringQueue, UserMessage } from "@factotum/agent-contract";
import type { InputRecord, TurnStore } from "@factotum/store";
import type { InputWatchers } from "../queue/run-report.ts";
import type { SessionEvents } from "../events/session-events.ts";
import type { MediaStage } from "../media/media-stage.ts";
import type { SessionCache } from "../context/session-cache.ts";
import type { RunningConfig } from "../agents/running-config.ts";
import type { RequestRecorder } from "../requests/request-recorder.ts";
import type { PreparedTurn } from "./prepared-turn.ts";
import { publishEntry } from "../delivery/publish-entry.ts";
import type { ResumedRun } from "./resume-calls.ts";
import { hasKeptAuthority } from "../conversation/current-authorization.ts";
import { inputsOf, leadInput } from "../queue/turn-job.ts";
import type { InputJob } from "../queue/turn-job.ts";
import type { TurnMessages } from "../messages/turn-messages.ts";
import { raceAbort } from "../kernel/race-abort.ts";

/** What messages are said into a run with. */
export interface TurnSteeringOptions {
  /** Where messages wait that may be said into a turn at work. */
  readonly queue: TurnQueue;
  readonly policy: InputPolicy;
  readonly store: TurnStore;
  readonly running: RunningConfig;
  readonly messages: TurnMessages;
  readonly cache: SessionCache;
  readonly media: MediaStage;
  readonly events: SessionEvents;
  readonly watchers: InputWatchers;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Says into a run what came in while it worked. A message leaves the queue once it is rendered, and joins the turn on disk when the loop tells that it
 * has it: behind the results that were due before it, and before the next request. Until then it is a waiting input like any other, which a crash
 * leaves to the next start.
 */
export class TurnSteering implements SteeringQueue {
  readonly #prepared: PreparedTurn;
  readonly #options: TurnSteeringOptions;
  readonly #signal: AbortSignal;
  readonly #playedAnswer: AssistantMessage | undefined;
  /**
   * Opens with the first answer of this run. Before it nothing is said into the run: what came before the first request gets a turn of its own, and
   * nothing may come between an answer that is played from the disk and its results.
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

  /** Inputs of the turn, those that have joined it included. */
  get inputIds(): readonly string[] {
    return [...this.#prepared.turn.inputIds, ...this.#joinedIds];
  }

  /** Everything that was said in the run, as it was committed. */
  get said(): readonly InputRecord[] {
    return this.#said;
  }

  /** The model has answered. */
  onAnswer(answer: AssistantMessage): void {
    if (answer !== this.#playedAnswer) this.#isOpen = true;
  }

  /** The next request is due: what was played has its results. */
  onTurnStart(turn: number): void {
    if (turn > 1) this.#isOpen = true;
  }

  async take(): Promise<readonly UserMessage[]> {
    const { turn, facts, request } = this.#prepared;
    if (!this.#isOpen) return [];
    const found: UserMessage[] = [];
    for (const job of this.#options.queue.steerable(turn.sessionKey, turn)) {
      // Whose authority or session has changed meanwhile waits, and is judged on its own.
      if (!hasKeptAuthority(turn.sessionKey, job, this.#options.policy, this.#options.running.config)) break;
      const messages = await this.#render(job, { facts, tools: request.tools, signal: this.#signal });
      // Meanwhile it may have been dropped, or the run stopped: then it waits, or not, without this run.
      if (messages === undefined || this.#signal.aborted || !this.#options.queue.take(turn.sessionKey, job)) break;
      this.#taken.push({ job, messages });
      this.#said.push(...inputsOf(job));
      found.push(...messages);
    }
    return found;
  }

  /** A run that is stopped does not wait for what hangs in a message. */
  async #render(job: InputJob, request: Parameters<TurnMessages["join"]>[1]): Promise<readonly UserMessage[] | undefined> {
    try {
      const { clock, messages } = this.#options;
      return await raceAbort(messages.join(job, request, this.#prepared), { signal: request.signal, clock });
    } catch (error) {
      // It gets a turn of its own, which fails for all to see; what was taken before it is said all the same.
      if (!request.signal.aborted)
        this.#options.logger.warn("A message could not be said into a turn", { inputId: leadInput(job).id, error });
      return undefined;
    }
  }

  /** Commits what the loop has taken. What was due before it must be on disk. */
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

  /** The run broke: what it has taken and could not commit waits again, and nobody but this process knows of it. */
  requeue(): void {
    const { sessionKey } = this.#prepared.turn;
    for (const { job } of this.#taken.splice(0).toReversed())
      this.#options.queue.again(sessionKey, { ...job, failures: (job.failures ?? 0) + 1 }, 0);
  }
}
