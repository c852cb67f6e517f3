/** An account of a channel. */
export interface Account {
  readonly channel: string;
  readonly accountId: string;
}

/** An account as addresses and commands write it: `telegram`, or `telegram:work`. */
export function accountKey({ channel, accountId }: Account): string {
  return accountId === "default" ? channel : `${channel}:${accountId}`;
}

/** The account that an address names. */
export function parseAccountKey(key: string): Account {
  const at = key.indexOf(":");
  return at === -1 ? { channel: key, accountId: "default" } : { channel: key.slice(0, at), accountId: key.slice(at + 1) };
}

/** Channels whose names are written in another way than their ids. */
const NAMES: Readonly<Record<string, string>> = { a2a: "A2A", irc: "IRC", "chat-sdk": "Chat SDK" };

/** The name of a channel for people: its own, or its id with a capital letter. */
export function channelLabel(id: string): string {
  return NAMES[id] ?? `${id.slice(0, 1).toUpperCase()}${id.slice(1)}`;
}

/** The name of an account for people. */
export function accountLabel({ channel, accountId }: Account): string {
  return accountId === "default" ? channelLabel(channel) : `${channelLabel(channel)} · ${accountId}`;
}
