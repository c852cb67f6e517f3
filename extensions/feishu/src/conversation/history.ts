import { ChannelError, messageId } from "@factotum/channel-contract";
import type { ActionMessage, CallOptions, HistoryMessage, MessageId, Origin } from "@factotum/channel-contract";
import type { MessageContextReader } from "../context/message-context.ts";
import { identityOf } from "../context/message-item.ts";
import type { FetchedMessage } from "../context/message-item.ts";
import type { MessageReads } from "../context/message-reads.ts";
import { toChannelError } from "../errors.ts";

/** What reads a conversation. */
export interface HistoryParts {
  readonly messages: MessageReads;
  readonly context: MessageContextReader;
}

type HistoryOptions = CallOptions & { readonly limit: number; readonly before?: MessageId | undefined };

/** As `Channel.history`. */
export async function readHistory(parts: HistoryParts, target: Origin, options: HistoryOptions): Promise<readonly HistoryMessage[]> {
  return read(parts, target, options, async (found) => {
    const { sender, timestampMs, text } = await toActionMessage(parts, target, found, options);
    return { ...identityOf(found), sender, timestampMs, body: text };
  });
}

/** The same with ids, for the action `read`. */
export async function readMessages(parts: HistoryParts, target: Origin, options: HistoryOptions): Promise<readonly ActionMessage[]> {
  return read(parts, target, options, (found) => toActionMessage(parts, target, found, options));
}

async function read<T>(
  parts: HistoryParts,
  target: Origin,
  options: HistoryOptions,
  convert: (message: FetchedMessage) => Promise<T>,
): Promise<readonly T[]> {
  const { id, threadId } = target.conversation;
  if (!id.startsWith("oc_"))
    throw new ChannelError("not-found", "messages can be read in chats (oc_…) alone, and the chat with a person has an id of its own", {
      retry: { type: "never" },
    });
  try {
    const found = await parts.messages.history({ chatId: id, threadRootId: threadId }, options);
    return await Promise.all(found.map(convert));
  } catch (error) {
    throw toChannelError(error);
  }
}

/** A message with the name of its author. */
export async function toActionMessage(
  { context }: Pick<HistoryParts, "context">,
  { conversation }: Origin,
  message: FetchedMessage,
  options: CallOptions,
): Promise<ActionMessage> {
  const chatId = conversation.kind === "direct" ? undefined : conversation.id;
  return {
    messageId: messageId(message.id),
    sender: await context.authorOf(message, chatId, options),
    timestampMs: message.timestampMs,
    text: message.text,
  };
}
