import { withoutUndefined } from "@factotum/agent-contract";
import type { Conversation, MsgContext } from "@factotum/channel-contract";
import { NO_MENTIONS } from "./mention-patterns.ts";
import type { MatchMention } from "./mention-patterns.ts";

/** The part of an account's configuration that says who may talk. */
export interface AccessPolicy {
  readonly dmPolicy: "pairing" | "allowlist" | "open" | "disabled";
  readonly allowFrom: readonly string[];
  readonly groupPolicy: "allowlist" | "open" | "disabled";
  /** Absent: other bots are ignored. */
  readonly allowBots?: boolean | "mentions";
  /** By the platform's id of the group; `*` matches every group without an entry. */
  readonly groups: Readonly<Record<string, GroupAccess | undefined>>;
}

/** One group's part of the policy. */
interface GroupAccess {
  readonly requireMention: boolean;
  /** Absent: every member. */
  readonly allowFrom?: readonly string[] | undefined;
}

/** Which messages of a group are answered: those that address the assistant, or all. */
export const ACTIVATIONS = ["mention", "always"] as const;

export type Activation = (typeof ACTIVATIONS)[number];

/** Who would have to be listed for a message to be admitted. `bots`: its sender is a bot, and `allowBots` is off. */
export type Missing = "sender" | "group" | "bots";

/** The decision about a message. Refused senders get no answer, except that `pair` is answered with a code. */
export type Admission =
  | { readonly type: "admit" }
  /** Admitted, but not addressed to the assistant: kept as context for the next message that is. */
  | { readonly type: "overheard" }
  /** Of an unknown sender who may ask to be admitted. */
  | { readonly type: "pair" }
  | { readonly type: "ignore"; readonly reason: string; readonly missing?: Missing };

/** Facts about a message's sender and group that the message does not contain. */
export interface AdmissionContext {
  readonly owner: boolean;
  /** The owner approved the code of the sender on this account. */
  readonly paired?: boolean;
  readonly matchMention?: MatchMention;
  /** The group's own setting. */
  readonly activation?: Activation;
  /** The ids by which `groups` may name the conversation, in the order of their precedence; by default its own and that of its thread's group. */
  readonly groupIds?: readonly string[];
}

/**
 * Decides whether a message may reach the assistant. Ids are compared exactly; an empty list admits no one.
 *
 * The owner is admitted to direct conversations regardless of `allowFrom`, since the owner list takes precedence; `disabled` closes them for everyone. `open`
 * needs `*` in `allowFrom`. A paired sender is admitted under `pairing` only, and never to a group.
 */
export function admitMessage(message: MsgContext, policy: AccessPolicy, context: AdmissionContext): Admission {
  if (message.sender.isBot) return admitBot(message, policy, context);
  if (message.origin.conversation.kind === "direct") return admitDirect(message, policy, context);
  return admitGroup(message, policy, context);
}

/** A bot is never the owner and is not paired, whatever the lists say. */
function admitBot(message: MsgContext, policy: AccessPolicy, context: AdmissionContext): Admission {
  const { allowBots = false } = policy;
  const isDirect = message.origin.conversation.kind === "direct";
  // Bots of a group are not there for the assistant.
  if (allowBots === false) return ignore("the sender is a bot, and allowBots is off", isDirect ? "bots" : undefined);
  if (allowBots === "mentions" && !message.mentionsBot && message.replyTo?.sender?.isSelf !== true)
    return ignore("the sender is a bot that does not mention the assistant");
  if (message.command !== undefined && !isOwnStop(message)) return ignore("bots give no commands");
  const asPerson = { ...message, sender: { ...message.sender, isBot: false } };
  const admission = admitMessage(asPerson, policy, { ...context, owner: false, paired: false });
  return admission.type === "pair" ? ignore("the sender is a bot that is not in allowFrom", "sender") : admission;
}

/** True for a stop of the sender's own direct conversation by the platform's own means: the only command that bots may give. */
export function isOwnStop({ command, origin }: Pick<MsgContext, "command" | "origin">): boolean {
  return command?.name === "stop" && command.mayBeText !== true && origin.conversation.kind === "direct";
}

function admitDirect(message: MsgContext, policy: AccessPolicy, { owner, paired = false }: AdmissionContext): Admission {
  const listed = policy.allowFrom.includes(message.sender.id);
  switch (policy.dmPolicy) {
    case "disabled":
      return ignore("dmPolicy is disabled");
    case "open":
      return owner || listed || policy.allowFrom.includes("*")
        ? { type: "admit" }
        : ignore('dmPolicy is open, but allowFrom has neither the sender nor "*"', "sender");
    case "pairing":
      if (owner || listed || paired) return { type: "admit" };
      if (message.event.type !== "message" || message.sender.id === "") return ignore("the sender is not in allowFrom", "sender");
      return message.sender.isUnverified === true
        ? ignore("the sender is not in allowFrom, and others can take the sender's id, so no code is offered", "sender")
        : { type: "pair" };
    case "allowlist":
      return owner || listed ? { type: "admit" } : ignore("the sender is not in allowFrom", "sender");
  }
}

function admitGroup(message: MsgContext, policy: AccessPolicy, context: AdmissionContext): Admission {
  const groupIds = context.groupIds ?? idsOf(message.origin.conversation);
  const group = groupSettings(policy.groups, groupIds);
  if (policy.groupPolicy === "disabled") return ignore("groupPolicy is disabled");
  if (policy.groupPolicy === "allowlist" && group === undefined) return ignore("the group is not listed under groups", "group");
  if (group?.allowFrom !== undefined && !context.owner && !group.allowFrom.includes(message.sender.id) && !group.allowFrom.includes("*")) {
    return ignore("the sender is not in the group's allowFrom");
  }
  if (needsMention(groupIds, policy, context.activation) && !isAddressed(message, context.matchMention ?? NO_MENTIONS))
    return { type: "overheard" };
  return { type: "admit" };
}

/** Whether a group's messages are answered only if they address the assistant: by the group's setting, else by the configuration. */
export function needsMention(
  groupIds: readonly string[],
  policy: Pick<AccessPolicy, "groups">,
  activation: Activation | undefined,
): boolean {
  return activation === undefined ? (groupSettings(policy.groups, groupIds)?.requireMention ?? true) : activation === "mention";
}

/** The settings of a conversation, by the first of its ids that has some, else those of `*`. */
export function groupSettings<Settings>(
  groups: Readonly<Record<string, Settings | undefined>>,
  groupIds: readonly string[],
): Settings | undefined {
  // An id of a platform may be the name of an inherited property.
  const found = [...groupIds, "*"].find((key) => Object.hasOwn(groups, key));
  return found === undefined ? undefined : groups[found];
}

/** A conversation's own id, then that of the group that its thread belongs to. */
function idsOf({ id, parentId }: Conversation): readonly string[] {
  return parentId === undefined ? [id] : [id, parentId];
}

function isAddressed(message: MsgContext, matchMention: MatchMention): boolean {
  return message.mentionsBot || message.replyTo?.sender?.isSelf === true || message.command !== undefined || matchMention(message.text);
}

function ignore(reason: string, missing?: Missing): Admission {
  return { type: "ignore", reason, ...withoutUndefined({ missing }) };
}
