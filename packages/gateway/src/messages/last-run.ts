import type { RunKind } from "@factotum/agent-contract";
import type { SessionRecord, Store, TurnState } from "@factotum/store";
import { runKinds } from "../run-policy/run-policy.ts";

/** Runs that a person's turn does not follow on. */
const NOT_FOLLOWED: readonly RunKind[] = runKinds(({ isFollowed }) => !isFollowed);

/** The run that a person's turn follows on; `undefined`: it is the first of the conversation. */
export async function readLastRun(sessionId: string, store: Pick<Store, "readLastTurn">): Promise<TurnState | undefined> {
  return store.readLastTurn(sessionId, { except: NOT_FOLLOWED });
}

/** Ids of the sessions whose last run was aborted. */
export async function listInterrupted(
  sessions: readonly Pick<SessionRecord, "sessionId">[],
  store: Pick<Store, "listAborted">,
): Promise<ReadonlySet<string>> {
  return store.listAborted(
    sessions.map(({ sessionId }) => sessionId),
    { except: NOT_FOLLOWED },
  );
}

/**
 * What the next turn is told of a run that did not come to its own end: it was stopped, or a restart cut it short and it was given up or
 * failed afterwards. One that went on after a restart and finished needs no word, and every other failure has been told.
 */
export function sessionHint(run: TurnState | undefined): "aborted" | "interrupted" | undefined {
  if (run === undefined || run.state === "done" || run.state === "running") return undefined;
  if (run.state === "aborted" || run.failure?.code === "aborted") return "aborted";
  return run.starts > 1 ? "interrupted" : undefined;
}
