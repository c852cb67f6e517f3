import { messageId } from "@factotum/channel-contract";
import type { CardButton, HostCommand } from "@factotum/channel-contract";
import type { ChatInstance, Message } from "chat";
import type { ParsedEvent } from "../chat/inbox.ts";
import { commonParts, hashOf, parseMessage, parseSender, unwantedAuthor } from "./parse-message.ts";
import type { EventFacts } from "./parse-message.ts";

type EventOf<Name extends "processAction" | "processMessageDeleted" | "processReaction" | "processSlashCommand"> = Parameters<
  ChatInstance[Name]
>[0];

/** A reaction that was added or taken back. The SDK has no time of it. */
export function parseReaction(event: EventOf<"processReaction">, facts: EventFacts): ParsedEvent {
  const { adapter, added, emoji, messageId: id, raw, threadId, user } = event;
  if (adapter === undefined) return { type: "unreadable", reason: "a reaction without its adapter" };
  const unwanted = unwantedAuthor(user);
  if (unwanted !== undefined) return unwanted;
  const name = facts.sdk.defaultEmojiResolver.toGChat(emoji);
  return {
    ...commonParts(adapter, threadId, facts),
    // One event of the platform can be several reactions.
    eventId: `reaction:${id}:${hashOf([raw, name, added])}`,
    messageId: messageId(id),
    timestampMs: 0,
    event: { type: "reaction", targetId: messageId(id), emoji: name, removed: !added },
    sender: parseSender(user),
  };
}

/** A pressed button; it says what `button` does, if it is one of ours. */
export function parseAction(event: EventOf<"processAction">, button: CardButton | undefined, facts: EventFacts): ParsedEvent {
  const { adapter, actionId, messageId: id, raw, threadId, user, value } = event;
  const own = { actionId, ...(value !== undefined && { value }) };
  const pressed = button === undefined ? own : { actionId: button.actionId, ...(button.value !== undefined && { value: button.value }) };
  return {
    ...commonParts(adapter, threadId, facts),
    eventId: `action:${hashOf([raw, actionId, value])}`,
    messageId: messageId(id),
    timestampMs: 0,
    event: { type: "action", ...pressed, targetId: messageId(id) },
    sender: parseSender(user),
  };
}

/** A deleted message. Who deleted it is not known: its author, if the adapter says who that was. */
export function parseDeletion(event: EventOf<"processMessageDeleted">, facts: EventFacts): ParsedEvent {
  const { adapter, deletedAt, messageId: id, previousMessage, threadId } = event;
  const author = previousMessage?.author;
  if (author === undefined) return { type: "ignored", reason: "a deletion without the author of the message" };
  const unwanted = unwantedAuthor(author);
  if (unwanted !== undefined) return unwanted;
  return {
    ...commonParts(adapter, threadId, facts),
    eventId: `delete:${id}`,
    messageId: messageId(id),
    timestampMs: deletedAt?.getTime() ?? 0,
    event: { type: "delete", targetId: messageId(id) },
    sender: parseSender(author),
  };
}

/** What commands need to know. */
export interface CommandFacts extends EventFacts {
  /** The gateway's commands. */
  readonly commands: readonly HostCommand[];
  /** Commands that the platform's clients send by themselves, and what they mean. */
  readonly aliases: Readonly<Record<string, string>>;
}

/** A slash command of the platform. Where people type it, it is read as the message that it is, too. */
export function parseCommand(event: EventOf<"processSlashCommand">, facts: CommandFacts): ParsedEvent {
  const { adapter, channelId, command, raw, text, user } = event;
  const given = command.replace(/^\//, "");
  // Menus of platforms have no hyphens.
  const own = facts.commands.find(({ name }) => name === given || name.replaceAll("-", "_") === given)?.name;
  const name = own ?? facts.aliases[given] ?? given;
  const argumentsText = own === undefined && name !== given ? "" : text;
  const typed = messageOf(event);
  if (typed !== undefined) {
    const message = parseMessage(adapter, channelId, typed, facts);
    if ("type" in message) return message;
    // The platform sees a command in the beginning of a longer word, and other bots of a group have commands, too.
    const isWord = new RegExp(`^/${RegExp.escape(given)}(?:@\\S+)?(?:\\s|$)`).test(message.text);
    const isOurs = own !== undefined || message.mentionsBot || message.origin.conversation.kind === "direct";
    return isWord && isOurs ? { ...message, mentionsBot: true, command: { name, argumentsText } } : message;
  }
  const id = `command:${hashOf(raw)}`;
  return {
    ...commonParts(adapter, channelId, facts),
    eventId: id,
    messageId: messageId(id),
    timestampMs: 0,
    event: { type: "message" },
    sender: parseSender(user),
    text: `/${given} ${text}`.trim(),
    mentionsBot: true,
    command: { name, argumentsText },
  };
}

/** The message that a command is, if the adapter can read it as one. */
function messageOf({ adapter, raw, user }: EventOf<"processSlashCommand">): Message | undefined {
  try {
    const message = adapter.parseMessage(raw);
    return typeof message.id === "string" && message.id !== "" && message.author.userId === user.userId ? message : undefined;
  } catch {
    return undefined;
  }
}
