import type { RequestRecord, Store } from "@factotum/store";
import { RpcError } from "../kernel/rpc-error.ts";

/** Selects a stored request: by id, by turn (its number in the conversation, or its id) and number in the turn, or the newest. */
export interface RequestQuery {
  readonly sessionKey: string;
  readonly id?: string | undefined;
  readonly turn?: number | string | undefined;
  /** Number in the turn; the turn's last request if omitted. */
  readonly request?: number | undefined;
}

/** Maximum requests of a turn that are searched; runs end earlier. */
const MAX_REQUESTS = 500;

type RequestStore = Pick<Store, "readSession" | "findTurn" | "readTurn" | "listRequests" | "readRequest">;

/** Finds a stored request. Rejects with an `RpcError` that says what exists. */
export async function findRequest(query: RequestQuery, store: RequestStore): Promise<RequestRecord> {
  if (query.id !== undefined) {
    return (await store.readRequest(query.id)) ?? notKept(`There is no stored request "${query.id}".`);
  }
  if (query.turn === undefined) {
    const session = await store.readSession(query.sessionKey);
    if (session === undefined) return notKept(`There is no session "${query.sessionKey}".`);
    const { items } = await store.listRequests({ sessionId: session.sessionId, limit: 1 });
    return items[0] ?? notKept("No model request of this conversation is kept. Say something, then look again.");
  }
  const turn = await findTurn(query.sessionKey, query.turn, store);
  const { items } = await store.listRequests({ sessionId: turn.sessionId, turnId: turn.id, limit: MAX_REQUESTS });
  const found = query.request === undefined ? items[0] : items.find(({ number }) => number === query.request);
  if (found !== undefined) return found;
  if (items.length === 0) return notKept("The requests of this turn are not kept, or are kept no more (30 days).");
  return notKept(`This turn has the requests 1 to ${items[0]?.number ?? 1}.`);
}

/** The turn with a number in the conversation, or with an id. Rejects with an `RpcError` for an unknown one. */
export async function findTurn(
  sessionKey: string,
  turn: number | string,
  store: Pick<RequestStore, "readSession" | "findTurn" | "readTurn">,
): Promise<{ readonly id: string; readonly sessionId: string }> {
  if (typeof turn === "string") return (await store.readTurn(turn)) ?? notKept(`There is no turn "${turn}".`);
  const session = await store.readSession(sessionKey);
  if (session === undefined) return notKept(`There is no session "${sessionKey}".`);
  return (await store.findTurn(session.sessionId, turn)) ?? notKept(`This conversation has no turn ${turn}.`);
}

function notKept(message: string): never {
  throw new RpcError("not-found", message);
}
