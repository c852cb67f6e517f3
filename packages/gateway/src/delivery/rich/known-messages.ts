import type { JsonValue, MessengerRequest } from "@factotum/agent-contract";
import type { MsgContext, Origin } from "@factotum/channel-contract";
import type { InboxStore, OutboxStore, TranscriptStore, TurnRecord } from "@factotum/store";
import { HISTORY_BOUNDS } from "../../context/read-history.ts";
import { messagesReplyingTo } from "../given-message-ids.ts";

/** Ids that are kept of listed messages; the oldest are dropped. */
const MAX_LISTED = 2_000;

/** The dependencies of the check. */
interface KnownMessageParts {
  readonly store: Pick<InboxStore, "hasReceived" | "readInput"> &
    Pick<OutboxStore, "listSentMessage"> &
    Pick<TranscriptStore, "readRecentContext">;
}

/**
 * Which messages are of a conversation. A platform may address a message by its id alone, so that an id of another conversation would reach that one: ids come
 * from the model and are checked before every use.
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

  /** The first message that a call names and that its conversation is not known to have. */
  async findForeign(
    request: MessengerRequest,
    { chat, turn }: { readonly chat: Origin; readonly turn: TurnRecord },
    parts: KnownMessageParts,
  ): Promise<string | undefined> {
    for (const id of namedIds(request)) if (!(await this.#isOf(chat, id, { turn, parts }))) return id;
    return undefined;
  }

  async #isOf(
    chat: Origin,
    id: string,
    { turn, parts: { store } }: { readonly turn: TurnRecord; readonly parts: KnownMessageParts },
  ): Promise<boolean> {
    if (this.#listed.has(listedKey(chat, id)) || (await store.hasReceived(chat, id))) return true;
    const sent = await store.listSentMessage(chat, id);
    if (sent.some(({ target }) => isSameChat(target, chat))) return true;
    const inputs = await Promise.all(turn.inputIds.map(async (input) => store.readInput(input)));
    if (inputs.some((input) => input !== undefined && isSameChat(input.message.origin, chat) && refersTo(input.message, id))) return true;
    // A message quoted in an earlier turn is of the conversation of the message that quoted it.
    const { entries } = await store.readRecentContext(turn.sessionId, HISTORY_BOUNDS);
    const messages = entries.flatMap((entry) => (entry.type === "message" ? [entry.message] : []));
    for (const quoting of messagesReplyingTo(id, messages)) if (await store.hasReceived(chat, quoting)) return true;
    return false;
  }
}

function namedIds({ operation, replyTo }: MessengerRequest): readonly string[] {
  const named: readonly (JsonValue | undefined)[] = [
    replyTo,
    ...(operation.type === "react" ? [operation.messageId] : []),
    ...(operation.type === "act" ? [operation.parameters["messageId"], operation.parameters["before"]] : []),
  ];
  return named.filter((id) => typeof id === "string");
}

function refersTo({ replyTo, event }: MsgContext, id: string): boolean {
  return replyTo?.messageId === id || ("targetId" in event && event.targetId === id);
}

function listedIds(value: JsonValue): readonly string[] {
  const messages = typeof value === "object" && value !== null && "messages" in value ? value["messages"] : undefined;
  if (!Array.isArray(messages)) return [];
  return (messages as readonly { readonly messageId: string }[]).map(({ messageId }) => messageId);
}

function listedKey({ channel, accountId, conversation }: Origin, id: string): string {
  return JSON.stringify([channel, accountId, conversation.id, id]);
}

function isSameChat(one: Origin, other: Origin): boolean {
  return one.channel === other.channel && one.accountId === other.accountId && one.conversation.id === other.conversation.id;
}
