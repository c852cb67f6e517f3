import type { InputPolicy } from "../conversation/input-policy.ts";
import type { RunOutcome } from "@factotum/agent-contract";
import { ModelError } from "@factotum/agent-contract";
import type { InboxStore, InputRecord, OutboxStore, TurnRecord, TurnStore } from "@factotum/store";
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
import { readInputs } from "./stored-turn.ts";
import { withPresentOwner } from "../access/owner.ts";
import { isMisplaced } from "../conversation/current-authorization.ts";
import { failureText, ownerFailureText } from "../notices/failure-text.ts";
import { RunDeadline } from "../queue/run-deadline.ts";
import { inputsOf } from "../queue/turn-job.ts";
import type { InputJob } from "../queue/turn-job.ts";

/** Why such a turn ends, as its session's conversation says. */
const MISPLACED = "its sender has another conversation now";

/** What turns that do not begin are ended with. */
export interface UnbegunTurnsOptions extends RefusedTurnOptions {
  readonly store: InboxStore & OutboxStore & TurnStore;
  readonly policy: InputPolicy;
  readonly concluder: TurnConcluder;
  readonly notices: Notices;
  readonly failedRuns: FailedRuns;
  readonly hideSecrets: (text: string) => string;
  readonly crashPoint?: CrashPointHook | undefined;
}

/** Ends turns and jobs that do not begin, or do not go on after a restart. */
export class UnbegunTurns {
  readonly #options: UnbegunTurnsOptions;

  constructor(options: UnbegunTurnsOptions) {
    this.#options = options;
  }

  /** Ends a turn that was begun, by an earlier process or a moment ago, and does not go on. */
  async end(turn: TurnRecord, outcome: RunOutcome, ending: TurnEnding = { type: "plain" }): Promise<void> {
    const streamed = await leftPreview(turn.id, this.#options.store);
    await this.#options.concluder.conclude({ turn, outcome, ending, streamed, results: undefined });
  }

  /** Ends notes of which nothing has been written yet: a message goes before them. */
  async endYielded(turn: TurnRecord): Promise<void> {
    const { message } = new LaneYield();
    await this.end(turn, { type: "aborted", reason: message }, { type: "yielded" });
  }

  /** Keeps what was said, and tells its sender why it gets no answer. */
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

  /** Ends a job that a person has stopped before its turn. Its sender is told unless the answer to the stop is seen there. */
  async stop(sessionKey: string, job: InputJob, { message: reason, notifiesSender }: LaneAbort): Promise<void> {
    const { notices } = this.#options;
    if (job.arrival.type === "committing") await job.arrival.committed;
    if (!notifiesSender) return notices.endStopped(sessionKey, inputsOf(job), reason);
    for (const input of inputsOf(job)) await notices.drop(sessionKey, input, DROPPED.stopped);
  }

  /**
   * Makes dead letters of messages that stop the gateway before their turn is on disk, and tells their sender. Only their words are used: whatever else a
   * turn is made of may be what crashes.
   */
  async giveUp(sessionKey: string, job: InputJob, outcome: Extract<RunOutcome, { type: "failed" }>): Promise<void> {
    const { clock, failedRuns, hideSecrets, logger, watchers, notices } = this.#options;
    const owner = ownerFailureText(outcome, hideSecrets);
    const state = { type: "dead", reason: outcome.message } as const;
    for (const input of inputsOf(job)) {
      const isOwnerChat = input.admission.owner && input.message.origin.conversation.kind === "direct";
      await notices.answer(sessionKey, input, { text: isOwnerChat ? owner : failureText(outcome), level: "error", state });
      watchers.settled([input.id], outcome.message);
      logger.error("A message was given up", { sessionKey, inputId: input.id, reason: outcome.message });
    }
    failedRuns.record({ agentId: job.agentId, code: outcome.code, text: owner, atMs: clock.now() });
  }

  /**
   * Ends a turn that an earlier process left in a session to which its inputs do not belong any more: it must not go on with the words of that session.
   * Resolves with the inputs that wait now, to begin again where they belong. When something of the turn was shown or done already there are none: then the
   * chat is told to ask again, so that nothing happens twice.
   */
  async endMisplaced(turn: TurnRecord, inputs: readonly InputRecord[]): Promise<readonly InputRecord[]> {
    const { store } = this.#options;
    // Calls that only read have no row in the journal.
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
   * Ends the misplaced ones of the turns that an earlier process left, and resolves with the others. Call it before any input is taken up, so that what waits
   * again keeps its place among the inputs of its sender.
   */
  async endAllMisplaced(turns: readonly TurnRecord[]): Promise<readonly TurnRecord[]> {
    const { store, running, policy, logger } = this.#options;
    const { ownerAllowFrom } = running.config.commands;
    const others: TurnRecord[] = [];
    for (const turn of turns) {
      try {
        const inputs = await readInputs(turn, store);
        // Of those who may talk no more nobody is told; that is decided when the turn is taken up.
        const isAdmitted = inputs.every((input) => policy.admits(withPresentOwner(input, ownerAllowFrom)));
        if (isAdmitted && inputs.some((input) => isMisplaced(turn.sessionKey, input, policy, running.config)))
          await this.endMisplaced(turn, inputs);
        else others.push(turn);
      } catch (error) {
        // It is judged again when it is taken up, and does not keep the others from going on.
        logger.error("A turn in a session that its sender lost could not be ended", { turnId: turn.id, error });
        others.push(turn);
      }
    }
    return others;
  }
}

/** The outcome of a turn that stopped the gateway so often. */
export function crashed(times: number): Extract<RunOutcome, { type: "failed" }> {
  return { type: "failed", code: "internal", message: `the gateway stopped while it worked on this, ${times} times` };
}

/** The outcome of a turn whose preparation has thrown. */
export function preparationFailure(error: unknown, signal: AbortSignal): Extract<RunOutcome, { type: "failed" }> {
  if (RunDeadline.caused(signal)) return { type: "failed", code: "timeout", message: "it took longer than timeoutSeconds to begin" };
  if (signal.aborted) return { type: "failed", code: "aborted", message: "it was stopped before it had begun" };
  if (ModelError.isInstance(error)) return { type: "failed", code: error.code, message: error.message };
  return { type: "failed", code: "internal", message: error instanceof Error ? error.message : "unknown" };
}
