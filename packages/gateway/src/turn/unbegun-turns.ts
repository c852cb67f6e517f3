import type { RunOutcome } from "@factotum/agent-contract";
import { ModelError } from "@factotum/agent-contract";
import type { InboxStore, InputRecord, OutboxStore, TurnRecord } from "@factotum/store";
import type { CrashPointHook } from "../kernel/crash-point.ts";
import type { FailedRuns } from "../observe/failed-runs.ts";
import { DROPPED } from "../notices/notices.ts";
import type { Notices } from "../notices/notices.ts";
import { leftPreview } from "../delivery/streaming/left-preview.ts";
import { LaneYield } from "../kernel/lane-abort.ts";
import type { LaneAbort } from "../kernel/lane-abort.ts";
import type { TurnConcluder } from "./turn-concluder.ts";
import type { TurnEnding } from "./turn-conclusion.ts";
import { beginRefusedTurn } from "./refused-turn.ts";
import type { RefusedTurnOptions } from "./refused-turn.ts";
import { readInputs } from "../queue/asking-turn.ts";
import { withPresentOwner } from "../access/owner.ts";
import { isMisplaced } from "../conversation/current-authorization.ts";
import { failureText, ownerFailureText } from "../notices/failure-text.ts";
import { RunDeadline } from "../queue/run-deadline.ts";
import { whenCommitted } from "../queue/optimistic-commits.ts";
import { inputsOf } from "../queue/turn-job.ts";
import type { InputJob } from "../queue/turn-job.ts";

/** The reason of such a turn's end, in its session's transcript. */
const MISPLACED = "its sender has another conversation now";

/** Dependencies of unstarted turns. */
export interface UnbegunTurnsOptions extends RefusedTurnOptions {
  readonly store: InboxStore & OutboxStore & RefusedTurnOptions["store"];
  readonly concluder: TurnConcluder;
  readonly notices: Notices;
  readonly failedRuns: FailedRuns;
  readonly hideSecrets: (text: string) => string;
  readonly crashPoint?: CrashPointHook | undefined;
}

/** Ends turns and jobs that do not start, or do not resume after a restart. */
export class UnbegunTurns {
  readonly #options: UnbegunTurnsOptions;

  constructor(options: UnbegunTurnsOptions) {
    this.#options = options;
  }

  /** Ends a stored turn, of an earlier process or of this one, that does not run. */
  async end(turn: TurnRecord, outcome: RunOutcome, ending: TurnEnding = { type: "plain" }): Promise<void> {
    const streamed = await leftPreview(turn.id, this.#options.store);
    await this.#options.concluder.conclude({ turn, outcome, ending, streamed, results: undefined });
  }

  /** Ends a memory flush that has not written anything yet, because a message goes first. */
  async endYielded(turn: TurnRecord): Promise<void> {
    const { message } = new LaneYield();
    await this.end(turn, { type: "aborted", reason: message }, { type: "yielded" });
  }

  /** Stores the message, and notifies its sender why it gets no answer. */
  async refuse(
    sessionKey: string,
    job: InputJob,
    outcome: Extract<RunOutcome, { type: "failed" }>,
    options: { readonly signal: AbortSignal },
  ): Promise<void> {
    const turn = await beginRefusedTurn(sessionKey, job, this.#options, options);
    this.#options.crashPoint?.("after-claim");
    await this.end(turn, outcome);
  }

  /** Ends a job that a person stopped before its turn. Its sender is notified unless the answer to the stop is visible there. */
  async stop(sessionKey: string, job: InputJob, { message: reason, notifiesSender }: LaneAbort): Promise<void> {
    const { notices } = this.#options;
    await whenCommitted(job.arrival);
    if (!notifiesSender) return notices.endStopped(sessionKey, inputsOf(job), reason);
    for (const input of inputsOf(job)) await notices.drop(sessionKey, input, DROPPED.stopped);
  }

  /** Ends messages that a handler of a hook does not let begin, and tells their senders why. */
  async deny(sessionKey: string, job: InputJob, reason: string): Promise<void> {
    const { watchers, notices, logger } = this.#options;
    await whenCommitted(job.arrival);
    for (const input of inputsOf(job)) {
      await notices.answer(sessionKey, input, { text: reason, level: "info", state: { type: "told", reason } });
      watchers.settled([input.id], reason);
      logger.info("A message was denied by a hook", { sessionKey, inputId: input.id, reason });
    }
  }

  /**
   * Dead-letters messages that crash the gateway before their turn is stored, and notifies their sender. Uses only their text: anything else that a turn is
   * made of may be what crashes.
   */
  async abandon(sessionKey: string, job: InputJob, outcome: Extract<RunOutcome, { type: "failed" }>): Promise<void> {
    const { clock, failedRuns, hideSecrets, logger, watchers, notices } = this.#options;
    const owner = ownerFailureText(outcome, hideSecrets);
    const state = { type: "dead", reason: outcome.message } as const;
    for (const input of inputsOf(job)) {
      const isOwnerChat = input.admission.owner && input.message.origin.conversation.kind === "direct";
      await notices.answer(sessionKey, input, { text: isOwnerChat ? owner : failureText(outcome), level: "error", state });
      watchers.settled([input.id], outcome.message);
      logger.error("A message was given up", { sessionKey, inputId: input.id, reason: outcome.message });
    }
    failedRuns.record({ agentId: job.agentId, sessionKey, code: outcome.code, text: owner, atMs: clock.now() });
  }

  /**
   * Ends a turn that an earlier process left in a session that its inputs do not belong to any more, because it must not run with that session's history.
   * Resolves with the inputs that are waiting again, to be queued where they belong. If the turn has already shown or done something there are none: the chat
   * is asked to send them again, so that nothing happens twice.
   */
  async endMisplaced(turn: TurnRecord, inputs: readonly InputRecord[]): Promise<readonly InputRecord[]> {
    const { store } = this.#options;
    // Read-only calls have no row in the journal.
    const hasActed = (await store.hasOutbound(turn.id)) || (await store.readJournal(turn.id)).length > 0;
    await this.end(
      turn,
      { type: "aborted", reason: MISPLACED },
      {
        type: "misplaced",
        inputs: hasActed ? "ask-again" : "begin-again",
      },
    );
    return hasActed ? [] : inputs;
  }

  /**
   * Ends the misplaced turns among those that an earlier process left, and resolves with the others. Call it before inputs are recovered, so that requeued
   * inputs keep their order among those of their sender.
   */
  async endAllMisplaced(turns: readonly TurnRecord[]): Promise<readonly TurnRecord[]> {
    const { store, running, policy, logger } = this.#options;
    const { ownerAllowFrom } = running.config.commands;
    const others: TurnRecord[] = [];
    for (const turn of turns) {
      try {
        const inputs = await readInputs(turn, store);
        // Senders who are not admitted any more are not notified; that is decided when the turn is resumed.
        const isAdmitted = inputs.every((input) => policy.admits(withPresentOwner(input, ownerAllowFrom)));
        if (isAdmitted && inputs.some((input) => isMisplaced(turn.sessionKey, input, policy, running.config)))
          await this.endMisplaced(turn, inputs);
        else others.push(turn);
      } catch (error) {
        // It is checked again when it is resumed, and does not stop the others.
        logger.error("A turn in a session that its sender lost could not be ended", { turnId: turn.id, error });
        others.push(turn);
      }
    }
    return others;
  }
}

/** The outcome of a turn that crashed the gateway this many times. */
export function crashed(times: number): Extract<RunOutcome, { type: "failed" }> {
  return { type: "failed", code: "internal", message: `the gateway stopped while it worked on this, ${times} times` };
}

/** The outcome of a turn whose preparation threw. */
export function preparationFailure(error: unknown, signal: AbortSignal): Extract<RunOutcome, { type: "failed" }> {
  if (RunDeadline.caused(signal)) return { type: "failed", code: "timeout", message: "it took longer than timeoutSeconds to begin" };
  if (signal.aborted) return { type: "failed", code: "aborted", message: "it was stopped before it had begun" };
  if (ModelError.isInstance(error)) return { type: "failed", code: error.code, message: error.message };
  return { type: "failed", code: "internal", message: error instanceof Error ? error.message : "unknown" };
}
