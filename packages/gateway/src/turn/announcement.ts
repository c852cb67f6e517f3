import type { InboxStore, KeyedNotice, SessionStore, TurnRecord } from "@factotum/store";
import { sendKey } from "../kernel/idempotency-key.ts";
import { jobText, sentText } from "../kernel/sent-text.ts";
import { RUN_POLICY } from "../run-policy/run-policy.ts";
import type { TurnConclusion } from "./turn-conclusion.ts";

/**
 * The record of an answer that a session of a scheduled job or a webhook sends into a conversation, for the session of that conversation: what is asked about it is answered
 * there. `undefined` for every other answer. `tainted`: its run had read text of others, so the turn that learns of it is marked, too (R23).
 */
export async function announcementOf(
  turn: Pick<TurnRecord, "id" | "kind" | "sessionKey" | "inputIds">,
  { say, tainted }: Pick<TurnConclusion, "say"> & { readonly tainted: boolean },
  store: Pick<InboxStore, "readInput"> & Pick<SessionStore, "readSession">,
): Promise<{ readonly sessionKey: string; readonly sessionId: string; readonly body: KeyedNotice } | undefined> {
  const [leadId] = turn.inputIds;
  if (!RUN_POLICY[turn.kind].isAnnounced || leadId === undefined || say?.purpose !== "reply" || say.text === "") return undefined;
  const job = (await store.readInput(leadId))?.admission.job;
  if (job?.announceIn === undefined || job.announceIn === turn.sessionKey) return undefined;
  const session = await store.readSession(job.announceIn);
  if (session === undefined) return undefined;
  const body: KeyedNotice = {
    type: "notice",
    level: "info",
    ...(turn.kind === "hook" ? sentText(`The webhook ${JSON.stringify(job.name)} sent this here:`, say.text) : jobText(job.name, say.text)),
    key: sendKey("announced", turn.id),
    tellsModel: true,
    ...(tainted ? { tainted } : {}),
  };
  return { sessionKey: session.key, sessionId: session.sessionId, body };
}
