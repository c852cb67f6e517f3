import type { MsgContext } from "@factotum/channel-contract";

/** The default title of a session: the group or person on a platform, the first words of the conversation elsewhere. */
export function sessionName(message: MsgContext, isPlatform: boolean): string {
  const { origin, sender, group } = message;
  if (!isPlatform) return message.text.trim() === "" && message.attachments.length > 0 ? "Images" : firstWords(message.text);
  const who = origin.conversation.kind === "direct" ? sender.name : group?.subject;
  return [origin.channel, who ?? origin.conversation.id].join(": ");
}

function firstWords(text: string): string {
  const line = text.trim().split("\n")[0] ?? "";
  return line.length <= 60 ? line : `${line.slice(0, 60).replace(/\s+\S*$/u, "")}…`;
}
