import type { TurnServices } from "../turn/turn-services.ts";
import type { CommandTarget } from "./command-target.ts";

/** What `/whoami` answers: the ids that the lists of the configuration take, and what the sender is here. */
export function whoamiText({ sessionKey, input }: CommandTarget, { channels }: Pick<TurnServices, "channels">): string {
  const { message, admission } = input;
  const { channel, accountId, conversation } = message.origin;
  const standing = admission.owner ? "You are the owner." : "You may talk to me here, and are not the owner.";
  if (channels.channelFor(message.origin)?.capabilities.addressing !== "platform")
    return [standing, `You came in with the gateway's token, through ${channel}.`, `Session ${sessionKey}`].join("\n");
  const name = message.sender.name === undefined ? "" : ` (${message.sender.name})`;
  const thread = conversation.threadId === undefined ? "" : `, thread ${conversation.threadId}`;
  return [
    standing,
    `Sender ${channel}:${message.sender.id}${name}`,
    `Chat ${conversation.kind} ${conversation.id}${thread}, account ${accountId}`,
    `Session ${sessionKey}`,
  ].join("\n");
}
