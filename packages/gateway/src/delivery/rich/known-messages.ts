import { readInputs } from "../../queue/asking-turn.ts";
import type { JsonValue, MessengerRequest } from "@factotum/agent-contract";
import { ACTIONS } from "@factotum/channel-contract";
import type { ActionName, MsgContext, Origin } from "@factotum/channel-contract";
import type { InboxStore, OutboxStore, TranscriptStore, TurnRecord } from "@factotum/store";
import { isSameChat } from "../../kernel/conversation-key.ts";
import { HISTORY_BOUNDS } from "../../context/read-history.ts";
import { messagesReplyingTo } from "../given-message-ids.ts";

/** Number of retained ids of listed messages; the oldest are dropped. */
const MAX_LISTED = 2_000;

/** The dependencies of the check. */
interface KnownMessageParts {
  readonly store: Pick<InboxStore, "hasReceived" | "readInput"> &
    Pick<OutboxStore, "listSentMessage"> &
    Pick<TranscriptStore, "readRecentContext">;
}

/**
 * Which messages and threads are of a conversation. A platform may address either by its id alone, so that an id of another conversation would reach that one:
 * ids come from the model and are checked before every use.
 */
export class KnownMessages {
  readonly #listed = new Set<string>();

  /** Notes the ids in the result of an action, which are of the action's conversation. */
  note(chat: Origin, value: JsonValue): void {
    for (const id of listedIds(value)) this.#listed.add(listedKey(chat, id));
    for (const key of this.#listed) {
      if (this.#listed.size <= MAX_LISTED) return;
      this.#listed.delete(key);
    }
  }

  /** The first message or thread that a call names and that its conversation is not known to have. */
  async findForeign(
    request: MessengerRequest,
    { chat, turn }: { readonly chat: Origin; readonly turn: TurnRecord },
    parts: KnownMessageParts,
  ): Promise<string | undefined> {
    const { threadId } = chat.conversation;
    const isOwnThread = threadId === undefined || (isSameChat(chat, turn.origin) && threadId === turn.origin.conversation.threadId);
    for (const id of [...namedIds(request), ...(isOwnThread ? [] : [threadId])])
      if (!this.#listed.has(listedKey(chat, id)) && !(await isMessageOf(chat, id, { turn, ...parts }))) return id;
    return undefined;
  }
}

/** True for the id of a message that the conversation is known to have: received, sent, or referred to by one of its messages. */
export async function isMessageOf(
  chat: Origin,
  id: string,
  { turn, store }: KnownMessageParts & { readonly turn: TurnRecord },
): Promise<boolean> {
  if (await store.hasReceived(chat, id)) return true;
  const sent = await store.listSentMessage(chat, id);
  if (sent.some(({ target }) => isSameChat(target, chat))) return true;
  const inputs = await readInputs(turn, store);
  if (inputs.some(({ message }) => isSameChat(message.origin, chat) && refersTo(message, id))) return true;
  // A message quoted in an earlier turn is of the conversation of the message that quoted it.
  const { entries } = await store.readRecentContext(turn.sessionId, HISTORY_BOUNDS);
  const messages = entries.flatMap((entry) => (entry.type === "message" ? [entry.message] : []));
  for (const quoting of messagesReplyingTo(id, messages)) if (await store.hasReceived(chat, quoting)) return true;
  return false;
}

function namedIds({ operation, replyTo }: MessengerRequest): readonly string[] {
  const named: readonly (JsonValue | undefined)[] = [
    replyTo,
    ...(operation.type === "react" ? [operation.messageId] : []),
    ...(operation.type === "act" ? idsOfAction(operation) : []),
  ];
  return named.flat().filter((id) => typeof id === "string");
}

function idsOfAction({ name, parameters }: Extract<MessengerRequest["operation"], { type: "act" }>): readonly (JsonValue | undefined)[] {
  // An unknown action is refused later, by name.
  const action = Object.hasOwn(ACTIONS, name) ? ACTIONS[name as ActionName] : undefined;
  return Object.keys(action?.messageIds ?? {}).map((key) => parameters[key]);
}

function refersTo({ replyTo, event }: MsgContext, id: string): boolean {
  return replyTo?.messageId === id || ("targetId" in event && event.targetId === id);
}

/** The results of actions that list messages or threads. */
interface Listing {
  readonly messages?: readonly { readonly messageId: string }[];
  readonly threads?: readonly { readonly threadId: string }[];
  readonly threadId?: string;
}

function listedIds(value: JsonValue): readonly string[] {
  const { messages, threads, threadId } = value as Listing;
  return [
    ...(messages ?? []).map(({ messageId }) => messageId),
    ...(threads ?? []).map((thread) => thread.threadId),
    ...(threadId === undefined ? [] : [threadId]),
  ];
}

function listedKey({ channel, accountId, conversation }: Origin, id: string): string {
  return JSON.stringify([channel, accountId, conversation.id, id]);
}
