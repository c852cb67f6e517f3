import type { OutboxRecord } from "@factotum/store";
import { publishEntry } from "./publish-entry.ts";
import type { TurnServices } from "./turn-services.ts";

type NoticeServices = Pick<TurnServices, "store" | "clock" | "events" | "logger">;

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

async function addNotice(services: NoticeServices, sessionKey: string, level: "warning" | "error", text: string): Promise<void> {
  const { store, clock } = services;
  const session = await store.readSession(sessionKey);
  if (session === undefined) return;
  const entry = await store.appendEntry(session.sessionId, { type: "notice", level, text }, { timestampMs: clock.now() });
  publishEntry(services, sessionKey, entry, undefined);
}
