import { EXTERNAL_PROVIDER } from "@factotum/agent-contract";
import type { AgentMessage, ModelInfo, RunFacts } from "@factotum/agent-contract";
import type { MsgContext } from "@factotum/channel-contract";
import type { InputAdmission, SessionRecord, SessionTrust, Store } from "@factotum/store";
import { isListedOwner } from "../access/owner.ts";
import { contextMessages, HISTORY_BOUNDS } from "../context/read-history.ts";
import type { ContextMessage } from "../context/read-history.ts";

/**
 * True if the turn's text contains text of anyone but the owner (R23). The names and topics of a group count too, and so does the name of a mentioned person.
 * Quotes by the owner of the owner's or the assistant's text do not.
 */
export function isTainted(
  message: MsgContext,
  context: { readonly admission: InputAdmission; readonly overheard: readonly MsgContext[]; readonly ownerAllowFrom: readonly string[] },
): boolean {
  if (context.admission.tainted === true || !context.admission.owner || message.origin.conversation.kind !== "direct") return true;
  const { event, forwarded, thread, untrusted = [] } = message;
  return (
    context.overheard.length > 0 ||
    forwarded !== undefined ||
    thread?.starter !== undefined ||
    (thread?.history ?? []).length > 0 ||
    untrusted.length > 0 ||
    (event.type === "member" && !event.member.isSelf) ||
    namesAnother(message, context.ownerAllowFrom) ||
    isQuoteOfAnother(message, context.ownerAllowFrom)
  );
}

function namesAnother({ origin, mentions = [], replyTo }: MsgContext, ownerAllowFrom: readonly string[]): boolean {
  return [...mentions, ...(replyTo?.mentions ?? [])].some(
    ({ id }) => id === undefined || !isListedOwner({ origin, sender: { id, isBot: false } }, ownerAllowFrom),
  );
}

function isQuoteOfAnother({ origin, replyTo }: MsgContext, ownerAllowFrom: readonly string[]): boolean {
  if (replyTo === undefined || replyTo.body === "" || replyTo.sender?.isSelf === true) return false;
  const id = replyTo.sender?.id;
  return id === undefined || !isListedOwner({ origin, sender: { id, isBot: false } }, ownerAllowFrom);
}

/** True if they contain text of anyone but the owner (R23). What an external agent has read is not known, so its words count. */
export function hasMark(messages: readonly AgentMessage[]): boolean {
  return messages.some((message) => isExternal(message) || (message.role !== "assistant" && message.tainted === true));
}

/** What others than the model itself have said: to an external agent its own words are no news. */
export function givenTo({ provider }: Pick<ModelInfo, "provider">, messages: readonly AgentMessage[]): readonly AgentMessage[] {
  return provider === EXTERNAL_PROVIDER ? messages.filter((message) => !isExternal(message)) : messages;
}

function isExternal(message: AgentMessage): boolean {
  return message.role === "assistant" ? message.provider === EXTERNAL_PROVIDER : message.role === "toolResult" && message.external === true;
}

/**
 * True if a turn's history taints it: it contains marked text that the owner does not trust, or the conversation was imported, regardless of the marks in its
 * file. `model`: the one that it is given to, if it is a turn.
 */
export async function isHistoryTainted(
  history: readonly AgentMessage[],
  record: SessionRecord | undefined,
  { store, model = { provider: "" } }: { readonly store: Pick<Store, "readRecentContext">; readonly model?: Pick<ModelInfo, "provider"> },
): Promise<boolean> {
  if (record?.importedAtMs !== undefined && record.trust === undefined) return true;
  if (!hasMark(givenTo(model, history))) return false;
  if (record?.trust?.type !== "until") return true;
  const { entries, omitted } = await store.readRecentContext(record.sessionId, HISTORY_BOUNDS);
  if (omitted > 0) return true;
  const context = contextMessages(entries, { isOpen: true });
  const untrusted = withoutTrustedMarks(context, record.trust).map(({ message }) => message);
  return hasMark(givenTo(model, untrusted));
}

/** True if text of others that the owner does not trust is in a conversation. */
export async function isConversationTainted(
  record: SessionRecord,
  parts: { readonly store: Pick<Store, "readRecentContext"> },
): Promise<boolean> {
  const { entries, omitted } = await parts.store.readRecentContext(record.sessionId, HISTORY_BOUNDS);
  if (omitted > 0) return true;
  return isHistoryTainted(
    contextMessages(entries, { isOpen: true }).map(({ message }) => message),
    record,
    parts,
  );
}

/**
 * A context without marks, and without words of external agents, up to the trusted entry; the marks of a summary by its sources. While a whole session is trusted
 * they stay: the trust can be revoked.
 */
function withoutTrustedMarks(context: readonly ContextMessage[], trust: SessionTrust | undefined): readonly ContextMessage[] {
  if (trust?.type !== "until") return context;
  return context.flatMap(({ entry, message }): readonly ContextMessage[] => {
    const markedId = markedEntryId({ entry, message });
    if (markedId === undefined || markedId > trust.entryId) return [{ entry, message }];
    if (message.role === "assistant") return [];
    const { tainted: _trusted, ...unmarked } = message;
    return [{ entry, message: unmarked }];
  });
}

/** The newest entry with others' text in a message, itself or, for a summary, a summarised one; `undefined` if there is none. */
export function markedEntryId({ entry, message }: ContextMessage): string | undefined {
  if (!hasMark([message])) return undefined;
  return entry.type === "compaction" ? (entry.message.taintedThrough ?? entry.id) : entry.id;
}

/** Whether the taint of a run's calls restricts it now: not the owner's run in a session that the owner trusts until its reset. */
export async function isTaintBinding(
  run: Pick<RunFacts, "owner" | "sessionKey" | "sessionId">,
  tainted: boolean,
  { store }: { readonly store: Pick<Store, "readSession"> },
): Promise<boolean> {
  if (!tainted || !run.owner) return tainted;
  const session = await store.readSession(run.sessionKey);
  return session?.sessionId !== run.sessionId || session.trust?.type !== "session";
}
