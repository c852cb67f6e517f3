import { messageId } from "@factotum/channel-contract";
import type { HistoryMessage, Mention } from "@factotum/channel-contract";
import * as z from "zod";
import { parseContent } from "../inbound/parse-message.ts";
import { nameMentions } from "../inbound/parse-message.ts";

/** A message of a chat, as it is read back from the platform. */
export interface FetchedMessage {
  readonly id: string;
  readonly senderId: string;
  /** The bot's own. */
  readonly isSelf: boolean;
  readonly isBot: boolean;
  /** Milliseconds since the epoch; 0 if unknown. */
  readonly timestampMs: number;
  /** At most 4,000 characters. */
  readonly text: string;
  /** People mentioned in the text. */
  readonly mentions: readonly Mention[];
}

/** One message in an answer of the platform. */
export interface MessageItem {
  readonly message_id: string;
  readonly chat_id?: string | undefined;
  readonly root_id?: string | undefined;
  readonly thread_id?: string | undefined;
  readonly msg_type: string;
  /** Milliseconds since the epoch; 0 if it cannot be read. */
  readonly create_time: number;
  readonly deleted?: boolean | undefined;
  readonly sender: { readonly id: string; readonly sender_type: string };
  readonly body: { readonly content: string };
  readonly mentions?: readonly { readonly key: string; readonly name: string; readonly id?: string | undefined }[] | undefined;
}

/** Parses one message. */
export const MessageItemSchema: z.ZodType<MessageItem> = z.looseObject({
  message_id: z.string(),
  chat_id: z.string().optional(),
  root_id: z.string().optional(),
  thread_id: z.string().optional(),
  msg_type: z.string(),
  create_time: z.coerce.number().nonnegative().catch(0),
  deleted: z.boolean().optional(),
  sender: z.looseObject({ id: z.string(), sender_type: z.string() }),
  body: z.looseObject({ content: z.string() }),
  mentions: z.array(z.looseObject({ key: z.string(), name: z.string().default(""), id: z.string().optional() })).optional(),
});

const MAX_TEXT_CHARS = 4_000;
const MAX_FILE_NAME_CHARS = 100;

/** True if the app with this id sent the message. */
export function isOwnItem({ sender }: MessageItem, appId: string): boolean {
  return sender.sender_type === "app" && sender.id === appId;
}

/** Parses a message that was not recalled. Files become notes in brackets. */
export function readItem(item: MessageItem, appId: string): FetchedMessage {
  const {
    text,
    attachments,
    untrusted = [],
  } = parseContent({ messageId: item.message_id, type: item.msg_type, content: item.body.content });
  const files = attachments.map(({ kind, fileName }) => (fileName === undefined ? `[${kind}]` : `[${kind}: ${shownName(fileName)}]`));
  const keys = (item.mentions ?? []).map((mention) => ({ ...mention, id: { open_id: mention.id } }));
  const named = nameMentions(text, keys, undefined);
  const words = [...(named.text === "" ? [] : [named.text]), ...untrusted.map((note) => note.text), ...files].join("\n");
  return {
    id: item.message_id,
    senderId: item.sender.id,
    isSelf: isOwnItem(item, appId),
    isBot: item.sender.sender_type === "app",
    timestampMs: item.create_time,
    text: words.length <= MAX_TEXT_CHARS ? words : `${words.slice(0, MAX_TEXT_CHARS).toWellFormed()}…`,
    mentions: named.mentions,
  };
}

/** Which message it is and who wrote it, for policies. */
export function identityOf({
  id,
  senderId,
  isSelf,
  isBot,
}: FetchedMessage): Pick<HistoryMessage, "messageId" | "senderId" | "isBot" | "isSelf"> {
  return { messageId: messageId(id), ...(senderId !== "" && { senderId }), ...(isBot && { isBot }), ...(isSelf && { isSelf }) };
}

/** The name of a file, which its sender rarely chooses: without characters that could be read as text or markup. */
function shownName(fileName: string): string {
  return fileName
    .replace(/[^\p{L}\p{M}\p{N}._-]+/gu, "_")
    .slice(0, MAX_FILE_NAME_CHARS)
    .toWellFormed();
}
