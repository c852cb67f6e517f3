import { isParameter } from "./network/irc-line.ts";

/** Whom a direct conversation is with: a login of the network's services, or the present holder of a nickname. */
export type Person = { readonly type: "account" | "nick"; readonly name: string };

/** The id of a person. An account and a nickname are never equal, whatever they are called. The name is folded. */
export function personId({ type, name }: Person): string {
  return `${type}:${name}`;
}

/** The person of an id; `undefined` for anything else. */
export function parsePersonId(id: string): Person | undefined {
  const match = /^(account|nick):(.+)$/.exec(id);
  const [, type, name = ""] = match ?? [];
  if (!isTarget(name)) return undefined;
  return { type: type === "account" ? "account" : "nick", name };
}

/** True for the name of one recipient: no list, no mask. */
function isTarget(name: string): boolean {
  return isParameter(name) && !/[,*?!@:\p{Cc}]/u.test(name);
}

/** True for the name of a channel, or of a part of its members. */
export function isChannelTarget(name: string): boolean {
  return isParameter(name) && /^[@+%&~!]*[#&+!][^\s,\p{Cc}]*$/u.test(name);
}
