import type { Origin } from "@factotum/channel-contract";
import type { OutboxRecord, SessionStore, StoreDamage, TranscriptStore, TurnRecord, TurnStore } from "@factotum/store";
import type { BlockedConversation } from "../delivery/blocked-conversations.ts";
import { conversationKey, isSameChat } from "../kernel/conversation-key.ts";
import { DAMAGED_REASON } from "../delivery/damaged-row.ts";
import { EXPIRED_REASON } from "../delivery/expired-row.ts";
import type { Clock, Logger } from "@factotum/agent-contract";
import { RUN_POLICY } from "../run-policy/run-policy.ts";
import type { SpendPause } from "../spend/spend-guard.ts";
import type { Notices } from "./notices.ts";

/** Dependencies of session notices. */
export interface SessionNoticesOptions {
  readonly notices: Notices;
  readonly store: SessionStore & TranscriptStore & Pick<TurnStore, "readTurn">;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Tells the owner, once for each key, why model calls are refused: in the agent's main session, which is the owner's, and, for unattended work, of which no
 * chat learns otherwise, in the owner's direct conversation. Before the owner has written there is no session, and no report.
 */
export async function notifyPaused(options: SessionNoticesOptions, sessionKey: string, { kind, message, key }: SpendPause): Promise<void> {
  const { store, notices, logger } = options;
  const noticeKey = `paused:${key}`;
  if ((await store.findNotice(noticeKey)) !== undefined) return;
  logger.warn("Work of an agent pauses", { sessionKey, detail: message });
  const session = await store.readSession(sessionKey);
  const chat = session?.isPrivate === true && !RUN_POLICY[kind].isAttended ? session.lastOrigin : undefined;
  // The chat comes first, because the entry in the transcript records that the notice is done.
  if (chat?.conversation.kind === "direct") await notices.sendToChat(sessionKey, chat, { text: message, identity: [noticeKey] });
  await notices.addEntry(sessionKey, { level: "warning", text: message, key: noticeKey });
}

/** Codes after which a chat accepts nothing, including a notice. */
const CLOSED = /^(?:forbidden|unauthorized|not-found|unreachable|rate-limited)\b/;

const REFUSED = "A message of mine could not be sent here. It can be read in the conversation's history; please ask again if you need it.";
const UNCERTAIN = "It is not certain that a message of mine has reached you. If something is missing, please ask again.";

const LOST = "A message of mine was damaged on the disk and may not have reached you. If something is missing, please ask again.";

/**
 * Reports an undelivered message in the transcript, where the owner sees it, and in the chat, at most once an hour, unless the chat itself is what failed. A
 * message that the `message` tool sent to another conversation is reported, each one, where it was asked for.
 */
export async function notifyUndelivered(options: SessionNoticesOptions, row: OutboxRecord): Promise<void> {
  const { sessionKey, target, purpose, state } = row;
  const reason = "reason" in state ? state.reason : "";
  const text = state.type === "ambiguous" ? UNCERTAIN : reason === DAMAGED_REASON ? LOST : REFUSED;
  // The answer to a command is a notice that settles an input; the notice below settles none, so that it is not followed by another.
  const isAnswer = purpose !== "notice" || (state.type === "ambiguous" && row.inputIds !== undefined);
  const asker = purpose === "tool" ? await findAsker(options, row) : undefined;
  if (asker !== undefined) await sayUndeliveredElsewhere(options, row, asker);
  // Expired messages are reported once the chat accepts messages again.
  else if (isAnswer && !CLOSED.test(reason) && reason !== EXPIRED_REASON) await sayUndelivered(options, sessionKey, target, text);
  const what = state.type === "ambiguous" ? "It is not known whether a message reached" : "A message could not be delivered to";
  await options.notices.addEntry(sessionKey, { level: "error", text: `${what} ${target.channel}: ${reason}` });
}

/** The turn that sent a message to another conversation than its own. */
async function findAsker({ store }: SessionNoticesOptions, { turnId, target }: OutboxRecord): Promise<TurnRecord | undefined> {
  const turn = turnId === undefined ? undefined : await store.readTurn(turnId);
  return turn === undefined || isSameChat(turn.origin, target) ? undefined : turn;
}

/** Only the owner's runs send to other conversations, so the reason may be named. */
async function sayUndeliveredElsewhere(
  { notices }: SessionNoticesOptions,
  { id, sessionKey, target, state }: OutboxRecord,
  { origin }: TurnRecord,
): Promise<void> {
  const what = state.type === "ambiguous" ? "It is not certain that my message has reached" : "My message could not be delivered to";
  const where = `${target.conversation.id} on ${target.channel}`;
  const reason = "reason" in state ? `: ${state.reason}` : "";
  await notices.sendToChat(sessionKey, origin, { text: `${what} ${where}${reason}`, identity: ["undelivered-elsewhere", id] });
}

async function sayUndelivered(options: SessionNoticesOptions, sessionKey: string, target: Origin, text: string): Promise<void> {
  const identity = ["undelivered", sessionKey, conversationKey(target), Math.floor(options.clock.now() / HOUR_MS)];
  await options.notices.sendToChat(sessionKey, target, { text, identity });
}

/**
 * Reports that a message will be late, once per message: in the transcript, which the page shows, and where the conversation was used last, if that is on
 * another account. The blocked chat cannot be notified.
 */
export async function notifyDelayed(
  options: SessionNoticesOptions,
  { id, sessionKey, target, expiresAtMs, purpose }: OutboxRecord,
  { reason, nextTryMs }: BlockedConversation,
): Promise<void> {
  const key = `delayed:${id}`;
  if (purpose === "preview" || (await options.store.findNotice(key)) !== undefined) return;
  const until = `The next try is at ${timeText(nextTryMs)}; it is given up at ${timeText(expiresAtMs)}.`;
  const text = `A message to ${target.channel} has not left yet (${reason}). ${until}`;
  const session = await options.store.readSession(sessionKey);
  const last = session?.lastOrigin;
  const isElsewhere = last !== undefined && (last.channel !== target.channel || last.accountId !== target.accountId);
  if (isElsewhere) await options.notices.sendToChat(sessionKey, last, { text, identity: [key] });
  await options.notices.addEntry(sessionKey, { level: "warning", text, key });
}

/** A time for people, to the minute. */
export function timeText(atMs: number): string {
  return `${new Date(atMs).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

const HOUR_MS = 3_600_000;

const DAMAGED =
  "A part of this conversation was damaged on the disk and is left out from now on. The rest goes on as it is. If something you said before seems forgotten, please say it again.";

/**
 * Reports that a part of a conversation is lost (R10): in its transcript, and in the chat of the turn that created the part, otherwise in that of the last
 * turn. A damaged input or outgoing message of unknown origin is a dead letter and is shown in the status.
 */
export async function notifyDamaged(options: SessionNoticesOptions, { type, id, sessionKey, origin }: StoreDamage): Promise<void> {
  if (sessionKey === undefined) return;
  const session = await options.store.readSession(sessionKey);
  if (session === undefined) return;
  const target = origin ?? session.lastOrigin;
  if (type === "outbound") {
    if (target !== undefined) await sayUndelivered(options, sessionKey, target, LOST);
    return options.notices.addEntry(sessionKey, { level: "error", text: LOST });
  }
  const identity = ["damage", session.sessionId, type, id];
  if (target !== undefined) await options.notices.sendToChat(sessionKey, target, { text: DAMAGED, identity });
  await options.notices.addEntry(sessionKey, { level: "error", text: DAMAGED });
}

const SHARING =
  "Messages of more than one person come into this conversation, so each of them can learn from me what the others have said. Without session.sharedMain in the configuration they are kept apart; ids that are one person's go together under session.identityLinks.";

function sharingKey(sessionKey: string): string {
  return `sharing:${sessionKey}`;
}

/** True if a session has the notice that several people's messages enter it. */
export async function isSharingAnnounced({ store }: Pick<SessionNoticesOptions, "store">, sessionKey: string): Promise<boolean> {
  return (await store.findNotice(sharingKey(sessionKey))) !== undefined;
}

/**
 * Reports in a transcript, where the owner sees it and no chat does, that messages of several people enter the session: once. False while there is no session
 * to store it in.
 */
export async function notifyShared(options: SessionNoticesOptions, sessionKey: string): Promise<boolean> {
  if (!(await isSharingAnnounced(options, sessionKey)))
    await options.notices.addEntry(sessionKey, { level: "warning", text: SHARING, key: sharingKey(sessionKey) });
  return isSharingAnnounced(options, sessionKey);
}
