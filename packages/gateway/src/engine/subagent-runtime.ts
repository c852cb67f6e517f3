import { LaneShutdown } from "../kernel/lane-abort.ts";
import type { Ingress } from "../ingress/ingress.ts";
import { inputsOf, isInputJob } from "../queue/turn-job.ts";
import type { TurnQueue } from "../queue/turn-queue.ts";
import type { SessionTasks } from "../sessions/session-tasks.ts";
import type { SubagentRuntime } from "../subagents/subagent-runtime.ts";
import type { BackgroundWork } from "./background-work.ts";

/** What runs and ends sub-agents: the queue, and tasks in the lanes of their sessions. A task that the end of the gateway prevents is done at its next start. */
export function createSubagentRuntime({
  queue,
  tasks,
  intake,
  background,
}: {
  readonly queue: TurnQueue;
  readonly tasks: SessionTasks;
  readonly intake: Pick<Ingress, "recover" | "requeue">;
  readonly background: BackgroundWork;
}): SubagentRuntime {
  const waitingInputs: SubagentRuntime["waitingInputs"] = (sessionKey) =>
    queue.lanes.waiting(sessionKey).filter(isInputJob).flatMap(inputsOf);
  return {
    recover: async (input) => intake.recover(input),
    requeue: async (input) => intake.requeue(input, { arrival: { type: "committed" } }),
    stop: async (sessionKey, reason, then) => unlessClosing(tasks.runAfterStop(sessionKey, { reason }, then)),
    behind: async (sessionKey, work) => unlessClosing(tasks.runQueued(sessionKey, work)),
    waitingInputs,
    withdraw: (sessionKey, inputId) => queue.removeInput(sessionKey, inputId),
    isBusy: (sessionKey) => queue.lanes.isBusy(sessionKey),
    inBackground: (label, work) => background.add(label, work),
  };
}

async function unlessClosing(work: Promise<void>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!(error instanceof LaneShutdown)) throw error;
  }
}
