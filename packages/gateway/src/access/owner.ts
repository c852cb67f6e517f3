import type { MsgContext } from "@factotum/channel-contract";
import type { InputRecord } from "@factotum/store";
import { accountPersonId, personId } from "../kernel/person-id.ts";

/** True if the owner list names exactly this sender, as `personId` or with the account; the whole string, case-sensitive. Display names never count. */
export function isListedOwner(message: Pick<MsgContext, "origin" | "sender">, ownerAllowFrom: readonly string[]): boolean {
  if (message.sender.isBot) return false;
  const { origin, sender } = message;
  return ownerAllowFrom.includes(personId(origin, sender.id)) || ownerAllowFrom.includes(accountPersonId(origin, sender.id));
}

/** The configuration's keys that contain the owner's ids. */
interface OwnerNames {
  readonly session: { readonly identityLinks: Readonly<Record<string, readonly string[]>> };
  readonly commands: { readonly ownerAllowFrom: readonly string[] };
}

/**
 * True for an id (of `personId`) of the owner, and for one that shares a `session.identityLinks` entry with it. Such a link shares the owner's direct
 * session and grants nothing: only `isListedOwner` makes a sender the owner.
 */
export function isOwnersPerson(id: string, { session, commands }: OwnerNames): boolean {
  const linked = Object.values(session.identityLinks).filter((ids) => ids.includes(id));
  return [id, ...linked.flat()].some((one) => commands.ownerAllowFrom.includes(one));
}

/** A message as that of the person whose authority it has: with the address and the sender of what has started everything. */
export function asOfAuthor<Input extends Pick<InputRecord, "message" | "admission">>(input: Input): Input {
  const { message, admission } = input;
  return admission.author === undefined ? input : { ...input, message: { ...message, ...admission.author } };
}

/**
 * An input with its current authority: it loses the owner's authority once the owner list no longer names its sender, and never gains it later. The gateway's
 * own clients, whose inputs name their session, had the token; `isListedOwner` marks inputs that name it without.
 */
export function withPresentOwner<Input extends Pick<InputRecord, "message" | "admission">>(
  input: Input,
  ownerAllowFrom: readonly string[],
): Input {
  const { admission } = input;
  const { message } = asOfAuthor(input);
  const hadToken = admission.sessionKey !== undefined && admission.isListedOwner !== true;
  if (!admission.owner || hadToken || isListedOwner(message, ownerAllowFrom)) return input;
  return { ...input, admission: { ...admission, owner: false } };
}
