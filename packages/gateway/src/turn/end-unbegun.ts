import { ModelError, NO_USAGE_TOTALS } from "@factotum/agent-contract";
import type { RunOutcome } from "@factotum/agent-contract";
import type { TurnRecord } from "@factotum/store";
import { leftPreview } from "../delivery/streaming/left-preview.ts";
import { LaneYield } from "../lanes/session-lanes.ts";
import { answerInput } from "./answer-input.ts";
import { closeTurn } from "./close-turn.ts";
import type { FinishedRun } from "./close-turn.ts";
import { failureText } from "./failure-text.ts";
import { RunDeadline } from "./run-deadline.ts";
import { inputsOf, saidIn } from "./turn-job.ts";
import type { InputJob } from "./turn-job.ts";
import type { TurnServices } from "./turn-services.ts";

/** Ends a turn that was begun, by an earlier process or a moment ago, and does not go on. */
export async function endUnbegun(
  turn: TurnRecord,
  outcome: RunOutcome,
  services: TurnServices,
  options: Pick<FinishedRun, "isGivenUp" | "givesWay"> = {},
): Promise<void> {
  await closeTurn(services, {
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
  await endUnbegun(turn, { type: "aborted", reason: message }, services, { givesWay: true });
}

/** Tells whoever said something that no turn can be made of it. */
export async function refuseJob(
  sessionKey: string,
  job: InputJob,
  outcome: Extract<RunOutcome, { type: "failed" }>,
  services: TurnServices,
): Promise<void> {
  const newest = saidIn(job).at(-1)?.input ?? job.input;
  const inputIds = inputsOf(job).map(({ id }) => id);
  await answerInput(services, sessionKey, newest, {
    text: failureText(outcome),
    level: "error",
    withIds: inputIds.filter((id) => id !== newest.id),
    state: { type: "told", reason: `${outcome.code}: ${outcome.message}` },
  });
  services.watchers.report(inputIds, {
    runId: newest.id,
    sessionKey,
    outcome,
    text: "",
    stopReason: "error",
    model: "",
    usage: NO_USAGE_TOTALS,
    remarks: [],
  });
}

/** The outcome of a turn that stopped the gateway so often. */
export function crashed(times: number): RunOutcome {
  return { type: "failed", code: "internal", message: `the gateway stopped while it worked on this, ${times} times` };
}

/** The outcome of a turn whose preparation has thrown. */
export function preparationFailure(error: unknown, signal: AbortSignal): Extract<RunOutcome, { type: "failed" }> {
  if (RunDeadline.caused(signal)) return { type: "failed", code: "timeout", message: "it took longer than timeoutSeconds to begin" };
  if (signal.aborted) return { type: "failed", code: "aborted", message: "it was stopped before it had begun" };
  if (ModelError.isInstance(error)) return { type: "failed", code: error.code, message: error.message };
  return { type: "failed", code: "internal", message: error instanceof Error ? error.message : "unknown" };
}
