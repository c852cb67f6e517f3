import type { RunKind } from "@factotum/agent-contract";
import type { SessionRecord, Store, TurnState } from "@factotum/store";
import { runKinds } from "../run-policy/run-policy.ts";

/** Kinds that never count as the previous run of a person's turn. */
const NOT_FOLLOWED: readonly RunKind[] = runKinds(({ isFollowed }) => !isFollowed);

/** The previous run of a person's turn; `undefined` for the first one of a conversation. */
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
 * The next turn's hint about an interrupted run: it was stopped, or a restart interrupted it and it was given up or failed afterwards. A run that was resumed
 * and finished needs no hint, and every other failure was reported.
 */
export function sessionHint(run: TurnState | undefined): "aborted" | "interrupted" | undefined {
  if (run === undefined || run.state === "done" || run.state === "running") return undefined;
  if (run.state === "aborted" || run.failure?.code === "aborted") return "aborted";
  return run.starts > 1 ? "interrupted" : undefined;
}
