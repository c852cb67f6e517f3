import { withoutUndefined } from "@factotum/agent-contract";
import type { MessageTrace, TracedCall, TracedInput, TracedSend } from "@factotum/protocol";
import type { ApprovalRecord, InputRecord, OutboxRecord, RequestRecord, Store, TurnRecord } from "@factotum/store";
import { RpcError } from "../kernel/rpc-error.ts";
import { toContextRequest, toRunUsage } from "./context-request.ts";
import { findTurn } from "./find-request.ts";

/** Requests of a turn, and entries after its message, that are looked at. */
const MAX_REQUESTS = 500;
const MAX_ENTRIES = 1000;
/** Characters of a text. */
const MAX_TEXT = 300;

/** Selects the turn. */
export interface TraceQuery {
  /** The conversation of numbers, and of the newest turn. */
  readonly sessionKey: string;
  /** A turn of another conversation counts as unknown. */
  readonly isOfSession: boolean;
  readonly entryId?: string | undefined;
  readonly turn?: number | string | undefined;
}

/** The dependencies of traces. */
export interface TraceParts {
  readonly store: Pick<
    Store,
    | "readSession"
    | "findTurn"
    | "readTurn"
    | "listRequests"
    | "readRequest"
    | "readInput"
    | "readEntry"
    | "exportTranscript"
    | "listTurnOutbound"
    | "listTurnApprovals"
  >;
  readonly hideSecrets: (text: string) => string;
}

/** Collects what is stored of a message, from its event to the receipts. Rejects with an `RpcError` if its turn is not known. */
export async function traceMessage(query: TraceQuery, { store, hideSecrets }: TraceParts): Promise<MessageTrace> {
  const turn = await turnOf(query, store);
  const { items } = await store.listRequests({ sessionId: turn.sessionId, turnId: turn.id, limit: MAX_REQUESTS });
  const requests = items.toReversed();
  const inputs = await Promise.all(turn.inputIds.map(async (id) => store.readInput(id)));
  const sends = await store.listTurnOutbound(turn.id);
  return {
    sessionKey: turn.sessionKey,
    sessionId: turn.sessionId,
    turnId: turn.id,
    turn: turn.number,
    agentId: turn.agentId,
    kind: turn.kind,
    state: turn.state,
    starts: turn.starts,
    startedAtMs: turn.startedAtMs,
    usage: toRunUsage(turn.usage),
    ...withoutUndefined({
      endedAtMs: turn.endedAtMs,
      failure: turn.failure && { code: turn.failure.code, message: hideSecrets(turn.failure.message) },
    }),
    inputs: inputs.flatMap((input) => (input === undefined ? [] : [toInput(input)])),
    requests: requests.map((request) => toContextRequest(request, hideSecrets)),
    calls: await callsOf(turn, requests[0], store),
    sends: sends.map((record) => toSend(record, hideSecrets)),
  };
}

async function turnOf({ sessionKey, isOfSession, entryId, turn }: TraceQuery, store: TraceParts["store"]): Promise<TurnRecord> {
  let which = turn;
  if (entryId !== undefined) {
    const entry = await store.readEntry(entryId);
    if (entry === undefined) throw new RpcError("not-found", `There is no entry "${entryId}".`);
    if (entry.turnId === undefined) throw new RpcError("not-found", "This message has no turn: no model was asked for it.");
    which = entry.turnId;
  }
  if (which === undefined) {
    const session = await store.readSession(sessionKey);
    const newest = session === undefined ? undefined : (await store.listRequests({ sessionId: session.sessionId, limit: 1 })).items[0];
    if (newest === undefined) throw new RpcError("not-found", "No turn of this conversation is kept. Say something, then look again.");
    which = newest.turnId;
  }
  const { id } = await findTurn(sessionKey, which, store);
  const found = await store.readTurn(id);
  if (found === undefined || (isOfSession && found.sessionKey !== sessionKey))
    throw new RpcError("not-found", `There is no turn "${id}"${isOfSession ? ` in the session "${sessionKey}"` : ""}.`);
  return found;
}

/** The calls in the entries after the turn's message; its first request ends with that one. */
async function callsOf(turn: TurnRecord, first: RequestRecord | undefined, store: TraceParts["store"]): Promise<readonly TracedCall[]> {
  if (first === undefined || first.lastEntryId === "") return [];
  const calls = new Map<string, TracedCall>();
  let read = 0;
  for await (const entry of store.exportTranscript(turn.sessionId, { after: first.lastEntryId })) {
    read += 1;
    if (read > MAX_ENTRIES || (entry.turnId !== undefined && entry.turnId !== turn.id)) break;
    if (entry.type !== "message" || entry.turnId !== turn.id) continue;
    const { message } = entry;
    if (message.role === "assistant") {
      for (const block of message.content)
        if (block.type === "toolCall") calls.set(block.id, { name: block.name, callId: block.id, askedAtMs: entry.timestampMs });
    } else if (message.role === "toolResult") {
      const call = calls.get(message.toolCallId);
      if (call !== undefined) calls.set(call.callId, { ...call, endedAtMs: entry.timestampMs, isError: message.isError });
    }
  }
  const asked = calls.size === 0 ? [] : await store.listTurnApprovals(turn.id);
  return [...calls.values()].map((call) => ({ ...call, ...waitsOf(call, asked) }));
}

/** A question has the id of its call, and its number. */
function waitsOf({ callId }: TracedCall, asked: readonly ApprovalRecord[]): Pick<TracedCall, "waits"> {
  const own = asked.filter((one) => one.callId === callId || (one.isQuestion === true && one.callId.startsWith(`${callId}#`)));
  if (own.length === 0) return {};
  return {
    waits: own.map(({ requestedAtMs, decidedAtMs }) => ({ atMs: requestedAtMs, ...withoutUndefined({ untilMs: decidedAtMs }) })),
  };
}

function toInput({ id, message, receivedAtMs, state }: InputRecord): TracedInput {
  const { origin, sender, eventId, messageId, timestampMs, text } = message;
  return {
    id,
    channel: origin.channel,
    accountId: origin.accountId,
    conversation: origin.conversation.id,
    sender: sender.name ?? sender.id,
    eventId,
    messageId,
    ...(timestampMs === 0 ? {} : { sentAtMs: timestampMs }),
    receivedAtMs,
    state: state.type,
    ...("reason" in state ? { reason: state.reason } : {}),
    text: text.slice(0, MAX_TEXT).toWellFormed(),
  };
}

function toSend(record: OutboxRecord, hideSecrets: (text: string) => string): TracedSend {
  const { id, purpose, target, createdAtMs, settledAtMs, attempts, state, outbound } = record;
  const reason = "reason" in state ? state.reason : state.type === "waiting" ? state.delay?.reason : undefined;
  return {
    id,
    purpose,
    channel: target.channel,
    accountId: target.accountId,
    conversation: target.conversation.id,
    createdAtMs,
    ...withoutUndefined({ settledAtMs }),
    attempts,
    state: state.type,
    ...(reason === undefined ? {} : { reason: hideSecrets(reason) }),
    messageIds: state.type === "accepted" ? state.messageIds : [],
    text: outbound.text.slice(0, MAX_TEXT).toWellFormed(),
  };
}
