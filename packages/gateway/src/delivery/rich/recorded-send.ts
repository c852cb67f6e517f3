import type { Random, RunFacts } from "@factotum/agent-contract";
import type { Origin } from "@factotum/channel-contract";
import type { KeyedNotice, NewOutbound, SessionRecord, SessionStore } from "@factotum/store";
import { isOwnersPerson } from "../../access/owner.ts";
import type { RunningConfig } from "../../agents/running-config.ts";
import type { ChannelRegistry } from "../../channels/channel-registry.ts";
import { sendKey } from "../../kernel/idempotency-key.ts";
import { routeMessage, routeQuery } from "../../routing/route.ts";
import { personId } from "../../kernel/person-id.ts";
import { sentText } from "../../kernel/sent-text.ts";

/** Dependencies of the record. */
interface RecordParts {
  readonly store: SessionStore;
  readonly running: RunningConfig;
  readonly channels: ChannelRegistry;
  readonly random: Random;
}

/** What was sent from another session. */
interface SentElsewhere {
  readonly rows: readonly NewOutbound[];
  readonly target: Origin;
  /** The person that was addressed, if the call named one. */
  readonly personId: string | undefined;
  readonly run: RunFacts;
  readonly callId: string;
  readonly nowMs: number;
}

/** The notice of a send for the session of its conversation, with the source; `undefined` if that is the sending session itself, or it is not known. */
export async function recordSend(
  sent: SentElsewhere,
  parts: RecordParts,
): Promise<{ readonly sessionKey: string; readonly sessionId: string; readonly body: KeyedNotice } | undefined> {
  const text = sent.rows.map(({ outbound }) => outbound.text).filter((part) => part !== "");
  if (text.length === 0) return undefined;
  const session = await sessionOf(sent, parts);
  if (session === undefined || session.key === sent.run.sessionKey) return undefined;
  const body: KeyedNotice = {
    type: "notice",
    level: "info",
    ...sentText(`You sent this here from the session ${sent.run.sessionKey}:`, text.join("\n\n")),
    key: sendKey("sent-from", sent.run.runId, sent.callId),
    tellsModel: true,
  };
  return { sessionKey: session.key, sessionId: session.sessionId, body };
}

/** The session that an answer from there would reach. It is created if the person or the group is known. */
async function sessionOf(
  { target, personId: addressee, nowMs }: SentElsewhere,
  { store, running, channels, random }: RecordParts,
): Promise<SessionRecord | undefined> {
  const { config } = running;
  const { conversation } = target;
  const isDirect = conversation.kind === "direct";
  const senderId = addressee ?? (isDirect ? conversation.id : "");
  const query = routeQuery({ origin: target, senderId, roles: [] }, channels);
  const { agentId, sessionKey } = routeMessage(query, config);
  const known = await store.readSession(sessionKey);
  if (known !== undefined || (isDirect && addressee === undefined)) return known;
  const isPrivate = isDirect && isOwnersPerson(personId(query.origin, senderId), config);
  return store.createSession({ key: sessionKey, sessionId: random.uuid(), agentId, isPrivate, displayName: conversation.id }, { nowMs });
}
