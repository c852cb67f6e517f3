import type { InputPolicy } from "../conversation/input-policy.ts";
import type { TurnQueue } from "../queue/turn-queue.ts";
import type { Logger, Clock } from "@factotum/agent-contract";
import type { Store, InputRecord } from "@factotum/store";
import type { InputWatchers } from "../queue/run-report.ts";
import type { ChannelRegistry } from "../channels/channel-registry.ts";
import type { RunningConfig } from "../agents/running-config.ts";
import { withPresentOwner } from "../access/owner.ts";
import { LaneAbort, LaneInterrupt, LaneShutdown, LaneYield } from "../kernel/lane-abort.ts";
import { isFinalStoreError } from "../storage/is-final-store-error.ts";
import { crashed, preparationFailure } from "./unbegun-turns.ts";
import type { UnbegunTurns } from "./unbegun-turns.ts";
import { withFetchedContext } from "../messages/fetch-context.ts";
import type { PreparedTurn } from "../preparation/prepared-turn.ts";
import { readInputs } from "../queue/asking-turn.ts";
import type { SessionCommands } from "../background-commands/session-commands.ts";
import type { TurnPreparer } from "../preparation/turn-preparer.ts";
import { hasLostFocus, isMisplaced, reauthorizeJob, SENDER_REVOKED } from "../conversation/current-authorization.ts";
import { RunDeadline } from "../queue/run-deadline.ts";
import { hasFailedCommit, whenCommitted } from "../queue/optimistic-commits.ts";
import { historyOf, inputsOf, withMessages } from "../queue/turn-job.ts";
import type { InputJob, ResumeJob } from "../queue/turn-job.ts";
import type { HookRunner } from "../hooks/hook-runner.ts";
import { RUN_POLICY } from "../run-policy/run-policy.ts";

/**
 * Attempts after which a turn that keeps crashing the process is given up. An attempt counts unless the process stopped cleanly; a committed entry resets the
 * count, because a crashing turn makes no progress. Turns that ran together without committing anything all count a crash that one of them caused. That happens
 * at most twice (`TurnQueue.resume`), since later attempts run solo; the fourth attempt lets a turn survive one crash that a concurrent new message causes.
 */
const MAX_ATTEMPTS = 4;

/**
 * The limit for a turn that commits something before each crash, such as the call of a tool that crashes. Only solo attempts count: a long turn is not given up
 * for crashes of concurrent turns.
 */
const MAX_SOLO_STARTS = 6;

/** Dependencies of the job preparer. */
export interface JobPreparerOptions {
  readonly store: Store;
  readonly running: RunningConfig;
  readonly channels: ChannelRegistry;
  readonly preparer: TurnPreparer;
  readonly unbegun: UnbegunTurns;
  readonly queue: TurnQueue;
  readonly policy: InputPolicy;
  readonly watchers: InputWatchers;
  readonly sessionCommands: Pick<SessionCommands, "isKnown">;
  readonly hooks: HookRunner;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Turns a job into a turn, or ends a job that must not run: given up, its sender revoked, yielded, or failed before its start. */
export class JobPreparer {
  readonly #options: JobPreparerOptions;

  constructor(options: JobPreparerOptions) {
    this.#options = options;
  }

  /**
   * Prepares the turn of a job within the deadline of its run, so that a hang before the first request does not block the session. `undefined` if there is
   * nothing to run: the inputs are settled or stay queued. Rejects when the store does.
   */
  async prepare(sessionKey: string, waited: InputJob | ResumeJob, laneSignal: AbortSignal): Promise<PreparedTurn | undefined> {
    const job = waited.type === "resume" ? waited : await this.#judge(sessionKey, waited);
    if (job === undefined) return undefined;
    const { clock, running } = this.#options;
    const { agentId } = job.type === "resume" ? job.turn : job;
    const { timeoutSeconds } = running.agent(agentId).config;
    using deadline = new RunDeadline(timeoutSeconds * 1000, { clock, outer: laneSignal });
    return await this.#prepare(sessionKey, job, deadline.signal);
  }

  async #prepare(sessionKey: string, job: InputJob | ResumeJob, signal: AbortSignal): Promise<PreparedTurn | undefined> {
    try {
      if (job.type !== "resume") {
        if (await this.#isGivenUp(sessionKey, job)) return undefined;
        const denied = this.#options.hooks.has("before_dispatch") ? await this.#denial(sessionKey, job, signal) : undefined;
        if (denied !== undefined) {
          await this.#options.unbegun.deny(sessionKey, job, denied);
          return undefined;
        }
        const complete = await withFetchedContext(job, this.#options, { signal, begins: { sessionKey, parts: this.#options } });
        return await this.#options.preparer.prepareInput(sessionKey, complete, { signal });
      }
      const turn = job.isCounted === true ? job.turn : await this.#options.store.beginAttempt(job.turn.id, { isSolo: job.isSolo === true });
      if (turn === undefined) return undefined;
      // An interrupted compaction is restarted by the turn that needs it.
      if (turn.attempts > MAX_ATTEMPTS || turn.soloStarts > MAX_SOLO_STARTS || !RUN_POLICY[turn.kind].isResumable) {
        await this.#options.unbegun.end(turn, crashed(turn.starts - 1), { type: "given-up" });
        return undefined;
      }
      if (job.yields === true) {
        await this.#options.unbegun.endYielded(turn);
        return undefined;
      }
      const inputs = await readInputs(turn, this.#options.store);
      if (!inputs.every((input) => this.#admitsNow(input))) {
        await this.#options.unbegun.end(turn, { type: "aborted", reason: SENDER_REVOKED });
        return undefined;
      }
      if (inputs.some((input) => isMisplaced(turn.sessionKey, input, this.#options.policy, this.#options.running.config))) {
        for (const input of await this.#options.unbegun.endMisplaced(turn, inputs))
          await this.#options.queue.moveAway(input, { arrival: { type: "recovered", isSolo: false } });
        return undefined;
      }
      return await this.#options.preparer.prepareResumed(turn, { signal });
    } catch (error) {
      if (hasFailedCommit(job)) return undefined;
      if (signal.reason instanceof LaneShutdown) {
        if (isFinalStoreError(error)) return undefined;
        if (job.type === "resume") await this.#options.store.releaseAttempt(job.turn.id);
        else await this.#releaseAttempt(job);
        return undefined;
      }
      if (signal.reason instanceof LaneInterrupt && job.type !== "resume") {
        await whenCommitted(job.arrival);
        await this.#releaseAttempt(job);
        this.#options.queue.requeue(sessionKey, { ...job, arrival: historyOf(job).arrival });
        return undefined;
      }
      if (signal.reason instanceof LaneYield && job.type === "resume") {
        await this.#options.unbegun.endYielded(job.turn);
        return undefined;
      }
      if (signal.reason instanceof LaneAbort) {
        const { message: reason, notifiesSender } = signal.reason;
        if (job.type !== "resume") await this.#options.unbegun.stop(sessionKey, job, signal.reason);
        else
          await this.#options.unbegun.end(job.turn, { type: "aborted", reason }, { type: notifiesSender ? "stopped-by-other" : "plain" });
        return undefined;
      }
      const outcome = preparationFailure(error, signal);
      this.#options.logger.error("A turn could not begin", { sessionKey, error });
      if (job.type === "resume") await this.#options.unbegun.end(job.turn, outcome);
      else await this.#options.unbegun.refuse(sessionKey, job, outcome, { signal });
      return undefined;
    }
  }

  /** Why the handlers of `before_dispatch` do not let a job begin. */
  async #denial(sessionKey: string, job: InputJob, signal: AbortSignal): Promise<string | undefined> {
    const inputs = inputsOf(job);
    const owner = inputs.every(({ admission }) => admission.owner);
    return this.#options.hooks.beforeDispatch(
      { agentId: job.agentId, sessionKey, owner, texts: inputs.map(({ message }) => message.text) },
      signal,
    );
  }

  /**
   * Counts an attempt at an input that an earlier process left, before any work on it, because the process may crash before a turn is stored. True if that was
   * one too many and the input was given up.
   */
  async #isGivenUp(sessionKey: string, job: InputJob): Promise<boolean> {
    // This process has counted it already.
    if (job.arrival.type !== "recovered" || job.failures !== undefined) return false;
    const attempts = await this.#options.store.beginInputs(inputsOf(job).map(({ id }) => id));
    if (attempts <= MAX_ATTEMPTS) return false;
    await this.#options.unbegun.abandon(sessionKey, job, crashed(attempts - 1));
    return true;
  }

  /** Releases the attempt of a job that did not start, for a reason other than a crash. */
  async #releaseAttempt(job: InputJob): Promise<void> {
    if (job.arrival.type === "recovered") await this.#options.store.releaseInputs(inputsOf(job).map(({ id }) => id));
  }

  /** A job without the reports of commands whose end the session's model was told of while they waited. */
  async #withoutKnown(job: InputJob): Promise<InputJob | undefined> {
    const { store, watchers, sessionCommands } = this.#options;
    const known = inputsOf(job).filter((input) => sessionCommands.isKnown(input));
    if (known.length === 0) return job;
    const ids = known.map(({ id }) => id);
    await store.settleInputs(ids, { type: "shown" });
    watchers.settled(ids, "its session knows it already");
    return withMessages(
      job,
      job.messages.filter(({ input }) => !known.includes(input)),
      job.overflow,
    );
  }

  #admitsNow(input: InputRecord): boolean {
    const present = withPresentOwner(input, this.#options.running.config.commands.ownerAllowFrom);
    return this.#options.policy.admits(present) && !hasLostFocus(present);
  }

  /** Reauthorizes a waiting job, whose policy or session may have changed since it arrived. */
  async #judge(sessionKey: string, waited: InputJob): Promise<InputJob | undefined> {
    const { store, watchers } = this.#options;
    const { job, moved, rejected } = reauthorizeJob(sessionKey, waited, this.#options.policy, this.#options.running.config);
    for (const input of moved) await this.#options.queue.moveAway(input, historyOf(waited));
    const ids = rejected.map(({ id }) => id);
    if (ids.length > 0) await store.settleInputs(ids, { type: "ignored", reason: SENDER_REVOKED });
    watchers.settled(ids, SENDER_REVOKED);
    return job === undefined ? undefined : this.#withoutKnown(job);
  }
}
