import type { Mention } from "@factotum/channel-contract";
import type { Bot } from "../api/bot-identity.ts";
import type { DiscordContent, DiscordMember, DiscordUser } from "./platform-types.ts";

/** A text of the platform as the contract has it. */
export interface ParsedText {
  readonly text: string;
  readonly mentions: readonly Mention[];
  readonly mentionsBot: boolean;
}

/** What is needed to name people and roles. */
export interface TextContext {
  readonly bot: Bot;
  /** Names of roles by id. */
  readonly roles: ReadonlyMap<string, string>;
  /** Roles that stand for the bot alone. */
  readonly botRoles: ReadonlySet<string>;
}

/** Longest name that is put into a text, in characters. */
const MAX_NAME_CHARS = 100;
const MARK = /<(?:@!?(\d+)|@&(\d+)|a?:(\w+):\d+|\/([^:>]+):\d+|t:(-?\d{1,13})(?::[tTdDfFR])?)>/g;

/** The name of a person for display. */
export function nameOf(user: DiscordUser, member?: DiscordMember): string {
  return oneLine(member?.nick ?? user.global_name ?? user.username) || user.id;
}

/** Replaces the platform's marks by names. The bot's name at the very beginning only addresses the message and is removed. */
export function parseText(source: Pick<DiscordContent, "content" | "mentions" | "mention_roles">, context: TextContext): ParsedText {
  const { content, mentions: people, mention_roles: roles } = source;
  const { bot, botRoles } = context;
  const names = new Map(people.map((user) => [user.id, nameOf(user, user.member)]));
  const isBot = (id: string | undefined): boolean => id !== undefined && (id === bot.id || botRoles.has(id));
  const [address = "", person, role] = /^\s*<@(?:!?(\d+)|&(\d+))>[\s,:]*/.exec(content) ?? [];
  const rest = isBot(person ?? role) ? content.slice(address.length) : content;
  const named = new Map<string, string>();
  const text = rest.replaceAll(MARK, (mark: string, id?: string, roleId?: string, emoji?: string, command?: string, time?: string) => {
    if (id !== undefined) {
      const name = id === bot.id ? bot.name : (names.get(id) ?? id);
      if (id !== bot.id) named.set(id, name);
      return `@${name}`;
    }
    if (roleId !== undefined) return `@${isBot(roleId) ? bot.name : (context.roles.get(roleId) ?? "role")}`;
    if (emoji !== undefined) return `:${emoji}:`;
    if (command !== undefined) return `/${command}`;
    return time === undefined ? mark : timeText(Number(time), mark);
  });
  return {
    text,
    mentions: [...named].map(([id, name]) => ({ id, name })),
    mentionsBot: people.some(({ id }) => id === bot.id) || roles.some(isBot),
  };
}

function timeText(seconds: number, otherwise: string): string {
  const date = new Date(seconds * 1_000);
  return Number.isNaN(date.getTime()) ? otherwise : `${date.toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

function oneLine(name: string): string {
  return name.replaceAll(/\s+/g, " ").trim().slice(0, MAX_NAME_CHARS).toWellFormed();
}
