import type { Conversation, ConversationKind } from "@factotum/channel-contract";

const KINDS: Readonly<Record<string, ConversationKind>> = { im: "direct", mpim: "group", channel: "channel", group: "channel" };

/** The kind that an event or an interaction names: by its type, by the id of a direct chat, or by the name of a group chat. */
export function namedKind(input: {
  readonly id: string;
  readonly type?: string | undefined;
  readonly name?: string | undefined;
}): ConversationKind | undefined {
  if (input.id.startsWith("D")) return "direct";
  if (input.name?.startsWith("mpdm-") === true) return "group";
  return KINDS[input.type ?? ""];
}

/** The conversation of a message: in a thread unless it is the first message of one. */
export function conversationOf(input: {
  readonly kind: ConversationKind;
  readonly id: string;
  readonly ts?: string | undefined;
  readonly threadTs?: string | undefined;
}): Conversation {
  const { kind, id, ts, threadTs } = input;
  return { kind, id, ...(threadTs !== undefined && threadTs !== ts && { threadId: threadTs }) };
}
