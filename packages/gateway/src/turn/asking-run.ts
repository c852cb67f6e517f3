import type { TurnRecord } from "@factotum/store";
import type { AskingRun } from "../approvals/waiting-calls.ts";
import type { RunDeadline } from "../queue/run-deadline.ts";
import type { TurnRecorder } from "../run/turn-recorder.ts";
import type { TurnSteering } from "../run/turn-steering.ts";

interface AskingParts {
  readonly steering: TurnSteering;
  readonly recorder: TurnRecorder;
  readonly signal: AbortSignal;
  readonly deadline: RunDeadline;
}

/** The part of a run that approvals and questions use. */
export function askingRun(turn: TurnRecord, { steering, recorder, signal, deadline }: AskingParts): AskingRun {
  return {
    turn,
    inputIds: () => steering.inputIds,
    said: () => steering.said,
    signal,
    deadline,
    commit: async () => {
      await recorder.settle();
      await recorder.flush();
    },
  };
}
