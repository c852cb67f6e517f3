import type { SystemEvent } from "@factotum/agent-core";
import type { EventMember, MsgContext } from "@factotum/channel-contract";
import type { InputRecord } from "@factotum/store";

/** Maximum UTF-16 units of an edited text, and of any other text that a person chose. */
const MAX_TEXT_CHARS = 280;
const MAX_NAME_CHARS = 60;
/** Of the text of others in a system event. */
const MAX_NOTE_CHARS = 600;

/** Describes an unanswered event to the model: one line, with names and texts of others as JSON strings. */
export function describeEvent({ message, admission }: Pick<InputRecord, "message" | "admission">): SystemEvent {
  return { timestampMs: message.timestampMs, text: admission.isEvent === true ? systemText(message) : textOf(message) };
}

/** The words of the owner, and then those of others. */
function systemText({ text, untrusted = [] }: MsgContext): string {
  return [text, ...untrusted.map((note) => `Text from ${note.source} (untrusted): ${quote(note.text, MAX_NOTE_CHARS)}`)]
    .filter((part) => part !== "")
    .join(" ");
}

function textOf({ event, sender, text }: MsgContext): string {
  const who = nameOf(sender);
  switch (event.type) {
    case "edit":
      return `${who} edited the message ${idOf(event.targetId)}: ${quote(text, MAX_TEXT_CHARS)}`;
    case "delete":
      return `${who} deleted the message ${idOf(event.targetId)}.`;
    case "reaction": {
      const emoji = quote(event.emoji, MAX_NAME_CHARS);
      const target = `${event.isOnOwnMessage === true ? "your" : "the"} message ${idOf(event.targetId)}`;
      return event.removed ? `${who} took back the reaction ${emoji} to ${target}.` : `${who} reacted with ${emoji} to ${target}.`;
    }
    case "member":
      return memberText(who, event, sender.id);
    case "vote":
      return event.options.length === 0
        ? `${who} took back the vote in the poll ${idOf(event.targetId)}.`
        : `${who} voted in the poll ${idOf(event.targetId)}: ${event.options.map((option) => quote(option, MAX_NAME_CHARS)).join(", ")}.`;
    case "receipt":
      return event.state === "read"
        ? `${who} has read up to the message ${idOf(event.targetId)}.`
        : `${who} has received up to the message ${idOf(event.targetId)}.`;
    case "moved":
      return `The conversation moved to ${idOf(event.to.id)}.`;
    case "action":
    case "message":
      throw new TypeError(`An event of the type ${event.type} begins a turn.`);
  }
}

function memberText(
  who: string,
  { change, member }: { readonly change: "joined" | "left"; readonly member: EventMember },
  senderId: string,
): string {
  const whom = member.isSelf ? "you" : nameOf(member);
  if (member.id !== senderId) return change === "joined" ? `${who} added ${whom}.` : `${who} removed ${whom}.`;
  return change === "joined" ? `${who} joined.` : `${who} left.`;
}

function nameOf({ id, name }: { readonly id: string; readonly name?: string }): string {
  return quote(name ?? id, MAX_NAME_CHARS);
}

/** Ids come from the platform, but a hostile one must not read like the gateway's text. */
function idOf(id: string): string {
  return quote(id, MAX_NAME_CHARS);
}

function quote(text: string, maxChars: number): string {
  return JSON.stringify(text.length <= maxChars ? text : `${text.slice(0, maxChars).toWellFormed()}…`);
}
