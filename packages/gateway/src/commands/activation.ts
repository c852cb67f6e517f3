import type { ChannelRegistry } from "../channels/channel-registry.ts";
import { ACTIVATIONS, needsMention } from "../access/admit-message.ts";
import type { TargetSession } from "./command-target.ts";
import { defineCommand, hasWish, parseWish } from "./define-command.ts";
import type { Command, Wish } from "./define-command.ts";

/** Shows or sets which messages of a group are answered. */
export const activationCommand: Command = defineCommand<Wish>({
  name: "/activation",
  summary: "in a group: mention answers who mentions me, always answers everything, default undoes that",
  hint: "[mention | always | default]",
  words: ["mention", "always", "default"],
  access: "anyone",
  parse: parseWish,
  changes: hasWish,
  run: ({ wish }, { session, channels }) => chooseActivation(session, wish, channels),
});

/** The answer of `/activation`, after it has applied the setting. */
async function chooseActivation(session: TargetSession, wish: string | undefined, channels: ChannelRegistry): Promise<string> {
  const { message } = session.target.input;
  const account = channels.accountFor(message.origin);
  if (message.origin.conversation.kind === "direct" || account === undefined)
    return "Here I answer every message: /activation is for groups.";
  const choices = `${ACTIVATIONS.join(", ")} or default`;
  const choice = ACTIVATIONS.find((known) => known === wish?.toLowerCase());
  if (choice === undefined && wish !== undefined && wish.toLowerCase() !== "default")
    return `"${wish}" is not understood. /activation takes ${choices}.`;
  if (wish !== undefined) await session.choose({ activation: choice ?? null });
  const { record } = await session.read();
  const activation = record?.overrides.activation;
  const origin = activation === undefined ? "as configured" : "as it was chosen for this group";
  const line = needsMention(channels.moves.idsOf(message.origin), account, activation)
    ? `I answer when I am mentioned or replied to, ${origin}.`
    : `I answer every message here, ${origin}.`;
  return wish === undefined ? `${line} /activation takes ${choices}.` : `From the next message on: ${line}`;
}
