import type { OutboxRecord, StoreDamage } from "@factotum/store";
import { planMessage } from "../delivery/plan-reply.ts";
import { sendPolicy } from "../delivery/send-policy.ts";
import { publishEntry } from "./publish-entry.ts";
import type { TurnServices } from "./turn-services.ts";

type NoticeServices = Pick<TurnServices, "store" | "clock" | "events" | "logger">;
type AddressServices = Pick<TurnServices, "channels" | "config" | "dispatcher">;

/** Says in the agent's main session, which is the owner's, that unattended work pauses. */
export async function tellPause(services: NoticeServices, sessionKey: string, message: string): Promise<void> {
  services.logger.warn("Unattended work pauses", { sessionKey, detail: message });
  await addNotice(services, sessionKey, "warning", message);
}

/** Leaves a note in the conversation, where the owner sees it: the channel itself is what failed. */
export async function tellUndelivered(services: NoticeServices, row: OutboxRecord): Promise<void> {
  const what = row.state.type === "ambiguous" ? "It is not known whether a message reached" : "A message could not be delivered to";
  await addNotice(services, row.sessionKey, "error", `${what} ${row.target.channel}: ${"reason" in row.state ? row.state.reason : ""}`);
}

const DAMAGED =
  "A part of this conversation was damaged on the disk and is left out from now on. The rest goes on as it is. If something you said before seems forgotten, please say it again.";

/**
 * Says in a conversation that a part of it is lost (R10): in the conversation itself, and in the chat of its last turn. A damaged
 * input or outgoing message, of which it is not known whose it is, is a dead letter and shows in the status.
 */
export async function tellDamage(services: NoticeServices & AddressServices, { type, id, sessionKey }: StoreDamage): Promise<void> {
  if (sessionKey === undefined) return;
  const { store, channels, clock, config, dispatcher } = services;
  const session = await store.readSession(sessionKey);
  if (session === undefined) return;
  const { lastOrigin } = session;
  const channel = lastOrigin === undefined ? undefined : channels.channelFor(lastOrigin);
  // The gateway's own clients read the conversation; there is nothing to send them.
  if (lastOrigin !== undefined && channels.accountFor(lastOrigin) !== undefined && channel?.capabilities.addressing !== "session-key") {
    const policy = { override: session.overrides.sendPolicy, origin: lastOrigin, sessionKey };
    const rows = planMessage(
      {
        sessionKey,
        target: lastOrigin,
        text: DAMAGED,
        purpose: "notice",
        identity: ["damage", session.sessionId, type, id],
        nowMs: clock.now(),
        suppressed: sendPolicy(config.session.sendPolicy, policy) === "deny",
      },
      channel,
    );
    dispatcher.dispatch(await store.addOutbound(rows));
  }
  await addNotice(services, sessionKey, "error", DAMAGED);
}

async function addNotice(services: NoticeServices, sessionKey: string, level: "warning" | "error", text: string): Promise<void> {
  const { store, clock } = services;
  const session = await store.readSession(sessionKey);
  if (session === undefined) return;
  const entry = await store.appendEntry(session.sessionId, { type: "notice", level, text }, { timestampMs: clock.now() });
  publishEntry(services, sessionKey, entry, undefined);
}
