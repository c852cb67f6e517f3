import { isOwnersPerson } from "../access/owner.ts";
import { sessionKind } from "../routing/session-key.ts";
import { answerInput } from "../turn/answer-input.ts";
import type { TurnServices } from "../turn/turn-services.ts";
import type { Command } from "./command.ts";
import type { CommandTarget } from "./command-target.ts";

const OWNER_ONLY_HERE = "Only my owner can do that here, because this conversation is shared.";

/**
 * True for a command that would change a conversation which its sender shares with others and does not own: there it is the owner's (design 04). A person's
 * own direct conversation is theirs to change.
 */
export function needsOwnerHere(command: Command, { sessionKey, input }: CommandTarget, { config }: Pick<TurnServices, "config">): boolean {
  const { message, admission } = input;
  if (admission.owner || !changesConversation(command)) return false;
  if (message.origin.conversation.kind !== "direct") return true;
  const isMain = sessionKind(sessionKey, config.session.mainKey) === "main";
  return isMain || isOwnersPerson(`${message.origin.channel}:${message.sender.id}`, config);
}

/** Answers such a command without doing anything. */
export async function refuseCommand({ sessionKey, input }: CommandTarget, services: TurnServices): Promise<void> {
  await answerInput(services, sessionKey, input, { text: OWNER_ONLY_HERE, level: "info", state: { type: "command" } });
  services.watchers.settled([input.id], OWNER_ONLY_HERE);
}

function changesConversation(command: Command): boolean {
  switch (command.type) {
    case "stop":
    case "reset":
    case "compact":
    case "trust":
      return true;
    case "model":
      return command.wish !== undefined && command.wish.toLowerCase() !== "list";
    case "think":
    case "reasoning":
    case "verbose":
    case "activation":
    case "send":
      return command.wish !== undefined;
    case "queue":
      return command.words.length > 0;
    case "status":
    case "context":
    case "skill":
    case "usage":
    case "whoami":
    case "help":
      return false;
  }
}
