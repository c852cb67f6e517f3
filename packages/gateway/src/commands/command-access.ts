import { isOwnersPerson } from "../access/owner.ts";
import { sessionKind } from "../routing/session-key.ts";
import type { FactotumConfig } from "@factotum/config";
import type { TypedCommand } from "./parse-command.ts";
import type { CommandTarget } from "./command-target.ts";
import { personId } from "../kernel/person-id.ts";

/** Whether a command is executed, ignored without an answer, or refused with an answer. */
type AccessDecision = "allowed" | "ignored" | "refused";

/**
 * An owner's command is ignored for everyone else. One that changes a shared conversation is the owner's there. A person's own direct conversation is theirs to
 * change.
 */
export function commandAccess(
  command: TypedCommand,
  { sessionKey, input }: Pick<CommandTarget, "sessionKey" | "input">,
  config: FactotumConfig,
): AccessDecision {
  const { message, admission } = input;
  if (admission.owner) return "allowed";
  if (command.type === "command" && command.access === "owner") return "ignored";
  if (command.type === "command" && !command.changesConversation) return "allowed";
  if (message.origin.conversation.kind !== "direct") return "refused";
  const isMain = sessionKind(sessionKey, config.session.mainKey) === "main";
  // A bot is never the owner, so its direct conversation is not the owner's, either, regardless of the list.
  const isOwners = !message.sender.isBot && isOwnersPerson(personId(message.origin, message.sender.id), config);
  return isMain || isOwners ? "refused" : "allowed";
}

/** True for a command about no conversation, which one of several agents answers. */
export function isGivenOnce(command: TypedCommand): boolean {
  return command.type === "command" && command.isGivenOnce === true;
}
