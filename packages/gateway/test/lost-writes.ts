import { NO_USAGE_TOTALS } from "@factotum/agent-contract";
import type { StoreError, NewTurn, StartedTurn, Store, PendingCommit } from "@factotum/store";

/** When and how a commit fails. */
export interface LostCommit {
  readonly at: Promise<unknown>;
  readonly error: StoreError;
}

/** A commit that fails. */
export async function lostCommit({ at, error }: LostCommit): Promise<void> {
  await at;
  throw error;
}

/** A turn that is started and never stored. Its session is: this store cannot roll that back. */
export async function lostTurn(store: Store, turn: NewTurn, lost: LostCommit): Promise<PendingCommit<StartedTurn>> {
  const session = (await store.readSession(turn.session.key)) ?? (await store.createSession(turn.session, { nowMs: turn.startedAtMs }));
  const { key: sessionKey, sessionId, agentId } = session;
  const begun = {
    ...turn,
    number: 1,
    sessionKey,
    sessionId,
    agentId,
    state: "running",
    attempts: 1,
    starts: 1,
    soloStarts: 0,
    usage: NO_USAGE_TOTALS,
  } as const;
  return { result: { turn: begun, session, entries: [] }, committed: lostCommit(lost) };
}
