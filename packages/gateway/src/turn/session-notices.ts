import type { Origin } from "@factotum/channel-contract";
import type { OutboxRecord, StoreDamage } from "@factotum/store";
import { conversationKey } from "../delivery/conversation-key.ts";
import { isSuppressed } from "../delivery/is-suppressed.ts";
import { planChatMessage } from "../delivery/plan-message.ts";
import { publishEntry } from "./publish-entry.ts";
import type { TurnServices } from "./turn-services.ts";

type NoticeServices = Pick<TurnServices, "store" | "clock" | "events" | "logger">;
type AddressServices = Pick<TurnServices, "channels" | "config" | "dispatcher">;

/** Says in the agent's main session, which is the owner's, that unattended work pauses. */
export async function tellPause(services: NoticeServices, sessionKey: string, message: string): Promise<void> {
  services.logger.warn("Unattended work pauses", { sessionKey, detail: message });
  await addNotice(services, sessionKey, "warning", message);
}

/** Codes at which a chat takes nothing at all, a word about it included. */
const CLOSED = /^(?:forbidden|unauthorized|not-found|unreachable|rate-limited)\b/;

const REFUSED = "A message of mine could not be sent here. It can be read in the conversation's history; please ask again if you need it.";
const UNCERTAIN = "It is not certain that a message of mine has reached you. If something is missing, please ask again.";

/** Leaves a note in the conversation, where the owner sees it, and says it in the chat, unless the chat itself is what failed: once an hour at most. */
export async function tellUndelivered(services: NoticeServices & AddressServices, row: OutboxRecord): Promise<void> {
  const reason = "reason" in row.state ? row.state.reason : "";
  if (row.purpose !== "notice" && !CLOSED.test(reason)) {
    await sayInChat(services, row.sessionKey, row.target, {
      text: row.state.type === "ambiguous" ? UNCERTAIN : REFUSED,
      identity: ["undelivered", row.sessionKey, conversationKey(row.target), Math.floor(services.clock.now() / HOUR_MS)],
    });
  }
  const what = row.state.type === "ambiguous" ? "It is not known whether a message reached" : "A message could not be delivered to";
  await addNotice(services, row.sessionKey, "error", `${what} ${row.target.channel}: ${reason}`);
}

const HOUR_MS = 3_600_000;

const DAMAGED =
  "A part of this conversation was damaged on the disk and is left out from now on. The rest goes on as it is. If something you said before seems forgotten, please say it again.";

/**
 * Says in a conversation that a part of it is lost (R10): in the conversation itself, and in the chat of its last turn. A damaged
 * input or outgoing message, of which it is not known whose it is, is a dead letter and shows in the status.
 */
export async function tellDamage(services: NoticeServices & AddressServices, { type, id, sessionKey }: StoreDamage): Promise<void> {
  if (sessionKey === undefined) return;
  const session = await services.store.readSession(sessionKey);
  if (session === undefined) return;
  const identity = ["damage", session.sessionId, type, id];
  if (session.lastOrigin !== undefined) await sayInChat(services, sessionKey, session.lastOrigin, { text: DAMAGED, identity });
  await addNotice(services, sessionKey, "error", DAMAGED);
}

/** Sends a word of the gateway's own. None to the gateway's own clients, which read the conversation. */
async function sayInChat(
  services: Pick<NoticeServices, "store" | "clock"> & AddressServices,
  sessionKey: string,
  target: Origin,
  { text, identity }: { readonly text: string; readonly identity: readonly (string | number)[] },
): Promise<void> {
  const { store, channels, clock, dispatcher } = services;
  const suppressed = await isSuppressed({ sessionKey, origin: target }, services);
  const rows = planChatMessage({ sessionKey, target, text, purpose: "notice", identity, nowMs: clock.now(), suppressed }, channels);
  if (rows.length > 0) dispatcher.dispatch(await store.addOutbound(rows));
}

async function addNotice(services: NoticeServices, sessionKey: string, level: "warning" | "error", text: string): Promise<void> {
  const { store, clock } = services;
  const session = await store.readSession(sessionKey);
  if (session === undefined) return;
  const entry = await store.appendEntry(session.sessionId, { type: "notice", level, text }, { timestampMs: clock.now() });
  publishEntry(services, sessionKey, entry, undefined);
}
