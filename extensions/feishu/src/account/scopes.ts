/** A permission that the channel uses, and the wider ones that include it. */
interface Scope {
  /** What to grant. */
  readonly scope: string;
  readonly includedIn: readonly string[];
}

/** What a scope is for. */
type ScopeUse =
  | "send"
  | "receiveDirect"
  | "receiveMentions"
  | "receiveGroups"
  | "files"
  | "chats"
  | "members"
  | "messages"
  | "reactions"
  | "readReactions"
  | "streams"
  | "pins"
  | "readPins";

/** The scopes of the app that the channel uses, by what they are for. `docs/feishu.md` explains each. */
export const SCOPES: Readonly<Record<ScopeUse, Scope>> = {
  send: { scope: "im:message:send_as_bot", includedIn: ["im:message"] },
  receiveDirect: { scope: "im:message.p2p_msg:readonly", includedIn: ["im:message"] },
  receiveMentions: { scope: "im:message.group_at_msg:readonly", includedIn: ["im:message", "im:message.group_msg"] },
  receiveGroups: { scope: "im:message.group_msg", includedIn: [] },
  files: { scope: "im:resource", includedIn: [] },
  chats: { scope: "im:chat:read", includedIn: ["im:chat:readonly", "im:chat"] },
  members: { scope: "im:chat.members:read", includedIn: ["im:chat:readonly", "im:chat"] },
  messages: { scope: "im:message:readonly", includedIn: ["im:message"] },
  reactions: { scope: "im:message.reactions:write_only", includedIn: ["im:message"] },
  readReactions: { scope: "im:message.reactions:read", includedIn: ["im:message", "im:message:readonly"] },
  streams: { scope: "cardkit:card:write", includedIn: [] },
  pins: { scope: "im:message.pins:write_only", includedIn: ["im:message"] },
  readPins: { scope: "im:message.pins:read", includedIn: ["im:message", "im:message:readonly"] },
};

/** The scopes that an app with these grants lacks. */
export function lackingScopes(granted: ReadonlySet<string>): readonly string[] {
  return Object.values(SCOPES)
    .filter(({ scope, includedIn }) => ![scope, ...includedIn].some((one) => granted.has(one)))
    .map(({ scope }) => scope);
}
