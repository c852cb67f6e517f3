import type { BroadcastPart } from "@factotum/store";
import type { RunningConfig } from "../agents/running-config.ts";
import type { ChannelRegistry } from "../channels/channel-registry.ts";
import { explainRoute, routeQuery } from "../routing/route.ts";
import type { CommandTarget } from "./command-target.ts";
import { changesNothing, defineCommand, parseNothing } from "./define-command.ts";
import type { Command } from "./define-command.ts";
import { personId } from "../kernel/person-id.ts";

/** Shows the sender's ids and role. */
export const whoamiCommand: Command = defineCommand({
  name: "/whoami",
  summary: "show your ids and what you are here",
  access: "anyone",
  parse: parseNothing,
  changes: changesNothing,
  isGivenOnce: true,
  run: async (_, { session, channels, running }) => whoamiText(session.target, { channels, running }),
});

/** The answer of `/whoami`: the ids in the configuration's form, the sender's role here, and for the owner why this agent answers. */
function whoamiText(
  { sessionKey, input }: CommandTarget,
  { channels, running }: { readonly channels: ChannelRegistry; readonly running: RunningConfig },
): string {
  const { message, admission } = input;
  const { channel, accountId, conversation } = message.origin;
  const standing = admission.owner ? "You are the owner." : "You may talk to me here, and are not the owner.";
  if (channels.channelFor(message.origin)?.capabilities.addressing !== "platform")
    return [standing, `You came in with the gateway's token, through ${channel}.`, `Session ${sessionKey}`].join("\n");
  const name = message.sender.name === undefined ? "" : ` (${message.sender.name})`;
  const thread = conversation.threadId === undefined ? "" : `, thread ${conversation.threadId}`;
  const { origin, sender } = message;
  const query = routeQuery({ origin, senderId: sender.id, roles: sender.roles ?? [] }, channels);
  return [
    standing,
    `Sender ${personId(origin, sender.id)}${name}`,
    `Chat ${conversation.kind} ${conversation.id}${thread}, account ${accountId}`,
    `Session ${sessionKey}`,
    ...(admission.owner
      ? [
          `Route: ${admission.broadcast === undefined ? explainRoute(query, running.config) : explainBroadcast(admission.broadcast, running)}`,
        ]
      : []),
  ].join("\n");
}

function explainBroadcast({ agentId }: BroadcastPart, { config: { broadcast } }: RunningConfig): string {
  return `agent ${agentId} and the others of this conversation, by broadcast (${broadcast.strategy})`;
}
