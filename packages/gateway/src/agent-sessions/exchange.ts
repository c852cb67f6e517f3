import { withoutUndefined } from "@factotum/agent-contract";
import { messageId } from "@factotum/channel-contract";
import type { MsgContext, Origin } from "@factotum/channel-contract";
import type { ExchangeRecord, InputAdmission } from "@factotum/store";
import { sessionOrigin } from "../routing/session-origin.ts";

/** What a session is asked next. */
export interface ExchangeStep {
  readonly receiver: "requester" | "target";
  readonly step: "message" | "announce";
  readonly text: string;
  /** From 1. */
  readonly turn: number;
}

/** How a step has ended. A reply without text: the session had nothing to say. */
export type StepEnd =
  | { readonly type: "replied"; readonly text: string; readonly tainted: boolean }
  | { readonly type: "failed"; readonly reason: string };

/** The next step. The replies alternate, the target's first. Pure. */
export function nextStep(exchange: ExchangeRecord): ExchangeStep {
  const { phase, turn, request, latestReply = "" } = exchange;
  if (phase === "announce") return { receiver: "target", step: "announce", text: announcement(exchange), turn: exchange.maxTurns };
  return {
    receiver: turn % 2 === 0 ? "target" : "requester",
    step: "message",
    text: turn === 0 ? request : latestReply,
    turn: turn + 1,
  };
}

/**
 * The exchange after a step; `undefined` if it has ended. A reply that text of others may have caused is given to the requester, and not passed on (R23).
 * `isGiven`: the turn that asked has had it. Pure.
 */
export function afterStep(
  exchange: ExchangeRecord,
  end: StepEnd,
  { isGiven = false }: { readonly isGiven?: boolean } = {},
): ExchangeRecord | undefined {
  if (exchange.phase === "announce") return undefined;
  if (end.type === "failed" || end.text === "") return conclude(exchange);
  const { authority, firstReply = end.text } = exchange;
  const isTainted = end.tainted || authority.tainted === true;
  const after: ExchangeRecord = {
    ...exchange,
    turn: exchange.turn + 1,
    firstReply,
    latestReply: end.text,
    ...(isTainted ? { authority: { ...authority, tainted: true } } : {}),
  };
  if (after.turn >= after.maxTurns) return conclude(after);
  if (!isTainted) return after;
  // The answer to it would be text of others, too.
  return after.turn === 1 && !isGiven ? { ...after, maxTurns: 2 } : conclude(after);
}

/** A reply with what followed it: silence and a failure add nothing to what was said before. Pure. */
export function laterEnd(before: StepEnd, later: StepEnd): StepEnd {
  if (before.type === "failed") return later;
  if (later.type === "failed") return before.text === "" ? later : before;
  return { type: "replied", text: later.text === "" ? before.text : later.text, tainted: before.tainted || later.tainted };
}

/** The step after the last reply: an announcement to the target's own chat, if it has one and has replied. */
function conclude(exchange: ExchangeRecord): ExchangeRecord | undefined {
  return exchange.target.origin === undefined || exchange.firstReply === undefined ? undefined : { ...exchange, phase: "announce" };
}

function announcement({ request, firstReply = "", latestReply = "" }: ExchangeRecord): string {
  return [
    "Your exchange with the other session has ended. Tell this chat, in your own words, what it should know about it.",
    `The request was: ${JSON.stringify(request)}`,
    `Your first reply was: ${JSON.stringify(firstReply)}`,
    ...(latestReply === firstReply ? [] : [`The latest reply was: ${JSON.stringify(latestReply)}`]),
  ].join("\n");
}

/**
 * The input of a step: with a stable id, so that the store accepts it once (R1), and with the authority of the exchange. `chat`: the chat of the receiving
 * session itself, whose settings apply; only an announcement is sent there (R4).
 */
export function stepInput(
  exchange: ExchangeRecord,
  { receiver, step, text, turn }: ExchangeStep,
  { chat, nowMs }: { readonly chat: Origin | undefined; readonly nowMs: number },
): { readonly message: MsgContext; readonly admission: InputAdmission } {
  const { id, requester, target, authority, path, maxTurns } = exchange;
  const { owner, isListedOwner, author, tainted, cause, job, tree, confinement } = authority;
  const [to, from] = receiver === "target" ? [target, requester] : [requester, target];
  return {
    message: {
      origin: chat ?? sessionOrigin(to.sessionKey),
      eventId: `a2a:${id}:${step === "announce" ? step : turn}`,
      messageId: messageId(""),
      timestampMs: nowMs,
      event: { type: "message" },
      sender: author.sender,
      text,
      // Groups answer only what is addressed to the assistant.
      mentionsBot: true,
      attachments: [],
    },
    admission: {
      owner,
      kind: "a2a",
      sessionKey: to.sessionKey,
      agentId: to.agentId,
      ownTurn: true,
      author,
      cause,
      agentToAgent: {
        exchangeId: id,
        step,
        requesterSession: requester.sessionKey,
        targetSession: target.sessionKey,
        turn,
        maxTurns,
        path: receiver === "target" ? path : [...path, from.sessionKey],
        ...withoutUndefined({ requesterChannel: requester.channel }),
      },
      ...withoutUndefined({ tainted, isListedOwner, job, tree, confinement }),
    },
  };
}
