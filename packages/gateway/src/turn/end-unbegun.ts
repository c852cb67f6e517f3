import { ModelError, NO_USAGE_TOTALS } from "@factotum/agent-contract";
import type { RunOutcome } from "@factotum/agent-contract";
import type { TurnRecord } from "@factotum/store";
import { leftPreview } from "../delivery/streaming/left-preview.ts";
import { LaneYield } from "../kernel/lane-abort.ts";
import { beginRefusedTurn } from "./begin-refused-turn.ts";
import { concludeTurn } from "./conclude-turn.ts";
import type { FinishedRun } from "./conclude-turn.ts";
import { failureText, ownerFailureText } from "../notices/failure-text.ts";
import { RunDeadline } from "../queue/run-deadline.ts";
import { inputsOf } from "../queue/turn-job.ts";
import type { InputJob } from "../queue/turn-job.ts";
import type { TurnServices } from "../services/turn-services.ts";

/** Ends a turn that was begun, by an earlier process or a moment ago, and does not go on. */
export async function endUnbegun(
  turn: TurnRecord,
  outcome: RunOutcome,
  services: TurnServices,
  options: Pick<FinishedRun, "isGivenUp" | "yields" | "misplaced"> = {},
): Promise<void> {
  await concludeTurn(services, {
    turn,
    outcome,
    ...options,
    usage: NO_USAGE_TOTALS,
    entries: [],
    sentTexts: [],
    lastText: "",
    model: undefined,
    streamed: await leftPreview(turn.id, services.store),
    remarks: [],
  });
}

/** Ends notes of which nothing has been written yet: a message goes before them. */
export async function endGivenWay(turn: TurnRecord, services: TurnServices): Promise<void> {
  const { message } = new LaneYield();
  await endUnbegun(turn, { type: "aborted", reason: message }, services, { yields: true });
}

/** Keeps what was said, and tells its sender why it gets no answer. */
export async function refuseJob(
  sessionKey: string,
  job: InputJob,
  outcome: Extract<RunOutcome, { type: "failed" }>,
  services: TurnServices,
  options: { readonly signal: AbortSignal },
): Promise<void> {
  const turn = await beginRefusedTurn(sessionKey, job, services, options);
  services.crashPoint?.("after-claim");
  await endUnbegun(turn, outcome, services);
}

/**
 * Makes dead letters of messages that stop the gateway before their turn is on disk, and tells their sender. Only their words are used: whatever else a
 * turn is made of may be what crashes.
 */
export async function giveUpInputs(
  sessionKey: string,
  job: InputJob,
  outcome: Extract<RunOutcome, { type: "failed" }>,
  services: TurnServices,
): Promise<void> {
  const { clock, failedRuns, hideSecrets, logger, watchers } = services;
  const owner = ownerFailureText(outcome, hideSecrets);
  const state = { type: "dead", reason: outcome.message } as const;
  for (const input of inputsOf(job)) {
    const isOwnerChat = input.admission.owner && input.message.origin.conversation.kind === "direct";
    await services.notices.answer(sessionKey, input, { text: isOwnerChat ? owner : failureText(outcome), level: "error", state });
    watchers.settled([input.id], outcome.message);
    logger.error("A message was given up", { sessionKey, inputId: input.id, reason: outcome.message });
  }
  failedRuns.record({ agentId: job.agentId, code: outcome.code, text: owner, atMs: clock.now() });
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
