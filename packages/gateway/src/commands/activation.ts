import { ACTIVATIONS, needsMention } from "../access/admit-message.ts";
import type { TurnServices } from "../services/turn-services.ts";
import { changeOverrides, readTarget } from "./command-target.ts";
import type { CommandTarget } from "./command-target.ts";
import { defineCommand, hasWish, parseWish } from "./define-command.ts";
import type { Command, Wish } from "./define-command.ts";

/** Shows or chooses which messages of a group are answered. */
export const activationCommand: Command = defineCommand<Wish>({
  name: "/activation",
  summary: "in a group: mention answers who mentions me, always answers everything, default undoes that",
  access: "anyone",
  parse: parseWish,
  changes: hasWish,
  run: ({ wish }, { target, services }) => chooseActivation(target, wish, services),
});

/** What `/activation` answers, after it has done what it was asked for. */
async function chooseActivation(target: CommandTarget, wish: string | undefined, services: TurnServices): Promise<string> {
  const { message } = target.input;
  const account = services.channels.accountFor(message.origin);
  if (message.origin.conversation.kind === "direct" || account === undefined)
    return "Here I answer every message: /activation is for groups.";
  const choices = `${ACTIVATIONS.join(", ")} or default`;
  const choice = ACTIVATIONS.find((known) => known === wish?.toLowerCase());
  if (choice === undefined && wish !== undefined && wish.toLowerCase() !== "default")
    return `"${wish}" is not understood. /activation takes ${choices}.`;
  if (wish !== undefined) await changeOverrides(target, { activation: choice ?? null }, services);
  const { record } = await readTarget(target, services);
  const activation = record?.overrides.activation;
  const origin = activation === undefined ? "as it is configured" : "as it was chosen for this group";
  const line = needsMention(message, account, activation)
    ? `I answer when I am mentioned or replied to, ${origin}.`
    : `I answer every message here, ${origin}.`;
  return wish === undefined ? `${line} /activation takes ${choices}.` : `From the next message on: ${line}`;
}
