import { messageId } from "@factotum/channel-contract";
import type { Mention, MsgContext, Sender } from "@factotum/channel-contract";
import { personId } from "../conversation-id.ts";
import type { Person } from "../conversation-id.ts";
import type { IrcLine } from "../network/irc-line.ts";
import type { Members } from "../network/members.ts";
import type { NetworkFacts } from "../network/network-facts.ts";
import { parseFormatting } from "./parse-formatting.ts";

/** What a line means depends on this. */
export interface ParseContext {
  readonly accountId: string;
  readonly facts: NetworkFacts;
  readonly members: Pick<Members, "nickIn" | "accountOf">;
  /** Our own nickname. */
  readonly self: string;
  /** Time of receipt, milliseconds since the epoch. */
  readonly nowMs: number;
  /** Makes an id for a message that the server gave none. */
  readonly createId: () => string;
}

/** The robots of networks: services, and bots that answer everybody. They are not talked to. */
const SERVICES = /^(?:\w+serv|global|services?|alis|saslserv)$/i;

const MAX_MENTIONS = 50;

/** Around a request between clients. */
const CTCP = "\u0001";
const ACTION = `${CTCP}ACTION `;
const ITALIC = "\u001d";

/** Converts a line to a message; `undefined` for every other line: notices, requests of clients (CTCP), our own messages, those of services. */
export function parseMessage(line: IrcLine, context: ParseContext): MsgContext | undefined {
  const { facts, self, nowMs } = context;
  const [target = "", raw = ""] = line.params;
  if (line.command !== "PRIVMSG" || line.nick === "" || !line.prefix.includes("!")) return undefined;
  if (facts.fold(line.nick) === facts.fold(self) || SERVICES.test(line.nick)) return undefined;
  const isGroup = facts.isGroupTarget(target);
  if (!isGroup && facts.fold(target) !== facts.fold(self)) return undefined;
  const body = bodyOf(raw, line.nick);
  if (body === undefined) return undefined;
  const address = addressed(body, context);
  const text = parseFormatting(address.rest).trim();
  if (text === "") return undefined;
  const person = personOf(line, context);
  const id = line.tags["msgid"] || context.createId();
  const mentions = isGroup ? mentionsIn(text, target, context) : [];
  return {
    origin: {
      channel: "irc",
      accountId: context.accountId,
      conversation: isGroup ? { kind: "channel", id: facts.fold(target) } : { kind: "direct", id: personId(person) },
    },
    eventId: id,
    messageId: messageId(id),
    timestampMs: timeOf(line) ?? nowMs,
    event: { type: "message" },
    sender: senderOf(line, person),
    text,
    mentionsBot: address.isAddressed || namesSelf(body, context),
    ...(mentions.length > 0 && { mentions }),
    ...(isGroup && { group: { subject: target } }),
    attachments: [],
  };
}

/**
 * Who wrote a line: the login, if the server vouches for it, else the nickname, which anybody can take. With `account-tag` a line without the tag is of somebody
 * who is not logged in.
 */
export function personOf(line: Pick<IrcLine, "nick" | "tags">, { facts, members }: Pick<ParseContext, "facts" | "members">): Person {
  const account = facts.hasCap("account-tag") ? line.tags["account"] : members.accountOf(line.nick);
  if (account !== undefined && account !== "" && account !== "*") return { type: "account", name: facts.fold(account) };
  return { type: "nick", name: facts.fold(line.nick) };
}

function senderOf({ nick, prefix, tags }: IrcLine, person: Person): Sender {
  const isBot = "bot" in tags || "draft/bot" in tags;
  return { id: personId(person), name: nick, handle: prefix, isBot, ...(person.type === "nick" && { isUnverified: true }) };
}

/** The text of a line; an action (`/me`) is a sentence about its author. `undefined` for other requests between clients. */
function bodyOf(raw: string, nick: string): string | undefined {
  if (!raw.startsWith(CTCP)) return raw;
  return raw.startsWith(ACTION) ? `${ITALIC}${nick} ${raw.slice(ACTION.length).replaceAll(CTCP, "")}` : undefined;
}

/** The text without our name in front, as people address each other. */
function addressed(body: string, { facts, self }: ParseContext): { readonly isAddressed: boolean; readonly rest: string } {
  const [head = "", name = ""] = /^[\p{Cc}@]*([^\s,:\p{Cc}]+)\p{Cc}*[,:][\p{Cc}\s]*/u.exec(body) ?? [];
  const isAddressed = name !== "" && facts.fold(name) === facts.fold(self);
  return { isAddressed, rest: isAddressed ? body.slice(head.length) : body };
}

function wordsOf(text: string): readonly string[] {
  return text.split(/[\s,:;.!?()"'<>*@\p{Cc}]+/u).filter((word) => word !== "");
}

function namesSelf(body: string, { facts, self }: ParseContext): boolean {
  return wordsOf(body).some((word) => facts.fold(word) === facts.fold(self));
}

/** Members of the channel that the text names. */
function mentionsIn(text: string, channel: string, { facts, members, self }: ParseContext): readonly Mention[] {
  const found = new Map<string, Mention>();
  for (const word of wordsOf(text)) {
    const key = facts.fold(word);
    if (found.has(key) || key === facts.fold(self) || members.nickIn(channel.replace(/^[^#&]/, ""), word) === undefined) continue;
    found.set(key, { name: word });
    if (found.size === MAX_MENTIONS) break;
  }
  return [...found.values()];
}

/** The server's time; `undefined` without one. */
function timeOf({ tags }: IrcLine): number | undefined {
  const time = Date.parse(tags["time"] ?? "");
  return Number.isSafeInteger(time) && time >= 0 ? time : undefined;
}
