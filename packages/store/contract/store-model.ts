import { expect } from "vitest";
import type { OutboxState, SessionRecord, Store, StoreErrorCode, TranscriptEntry } from "../src/index.ts";

interface ModelTurn {
  readonly key: string;
  readonly sessionId: string;
  readonly inputIds: string[];
  state: "running" | "done";
  attempts: number;
  starts: number;
}

/** A minimal model of what a store must hold. */
export class StoreModel {
  /** State by event id. */
  readonly inputs: Map<string, { readonly id: string; state: string; turnId?: string }> = new Map();
  /** Current session id and calls charged, by key. */
  readonly sessions: Map<string, { sessionId: string; calls: number }> = new Map();
  /** Texts by session id, with the key that they belong to. */
  readonly transcripts: Map<string, { readonly key: string; readonly texts: string[] }> = new Map();
  readonly turns: Map<string, ModelTurn> = new Map();
  /** State by idempotency key. */
  readonly outbox: Map<string, { readonly id: string; state: OutboxState["type"]; attempts: number }> = new Map();
  calls = 0;

  textsOf(sessionId: string): string[] {
    return this.transcripts.get(sessionId)?.texts ?? [];
  }

  /** Whether a turn of the key is running. */
  isBusy(key: string): boolean {
    return [...this.turns.values()].some((turn) => turn.key === key && turn.state === "running");
  }
}

/** Compares everything that the store returns with the model. */
export async function expectSame(store: Store, model: StoreModel): Promise<void> {
  for (const input of model.inputs.values()) {
    const stored = await store.readInput(input.id);
    expect({ state: stored?.state.type, turnId: stored?.turnId }).toEqual({ state: input.state, turnId: input.turnId });
  }
  for (const [key, session] of model.sessions) {
    const stored = await store.readSession(key);
    expect({ sessionId: stored?.sessionId, calls: stored?.usage.calls }).toEqual(session);
  }
  for (const sessionId of model.transcripts.keys()) {
    expect((await store.readContext(sessionId)).map(textOf)).toEqual(model.textsOf(sessionId));
  }
  for (const [id, turn] of model.turns) {
    expect(await store.readTurn(id)).toMatchObject({
      state: turn.state,
      attempts: turn.attempts,
      starts: turn.starts,
      inputIds: turn.inputIds,
      sessionId: turn.sessionId,
    });
  }
  for (const row of model.outbox.values()) {
    expect(await store.readOutbound(row.id)).toMatchObject({ state: { type: row.state }, attempts: row.attempts });
  }
  const pending = [...model.outbox.values()].filter((row) => row.state === "waiting" || row.state === "sending").map((row) => row.id);
  expect((await store.listPendingOutbound({ limit: 500 })).map((row) => row.id)).toEqual(pending.toSorted((a, b) => (a < b ? -1 : 1)));
  expect((await store.listSessions({ limit: 500 })).items.map((session: SessionRecord) => session.key).toSorted()).toEqual(
    [...model.sessions.keys()].toSorted(),
  );
  expect(await store.counts()).toMatchObject({ sessions: model.sessions.size, usage: { calls: model.calls } });
}

/** Awaits a failure with a code. */
export async function expectRefused(work: Promise<unknown>, ...codes: readonly StoreErrorCode[]): Promise<void> {
  const result: unknown = await work.then(
    () => "accepted",
    (error: unknown) => (error instanceof Error && "code" in error ? error.code : error),
  );
  expect(codes).toContain(result);
}

function textOf(entry: TranscriptEntry): string {
  if (entry.type !== "message") return entry.type;
  const [part] = entry.message.content;
  return part?.type === "text" ? part.text : "";
}
