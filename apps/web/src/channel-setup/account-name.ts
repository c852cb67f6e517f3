import { gatewayText } from "../i18n/gateway-text.ts";

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

/** Longest word of an id that is an abbreviation, in characters. */
const ABBREVIATION = 3;

/** The name of a channel for people, in the language of the page: the words of its id, with a capital letter, short ones in capitals. */
export function channelLabel(id: string): string {
  const words = id
    .split("-")
    .map((word) => (word.length <= ABBREVIATION ? word.toUpperCase() : `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`));
  return gatewayText(words.join(" "));
}

/** The name of an account for people. */
export function accountLabel({ channel, accountId }: Account): string {
  return accountId === "default" ? channelLabel(channel) : `${channelLabel(channel)} · ${accountId}`;
}
