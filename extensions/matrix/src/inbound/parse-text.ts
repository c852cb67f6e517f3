import type { Mention } from "@factotum/channel-contract";
import * as z from "zod";
import type { Bot } from "../api/bot-identity.ts";
import { localpartOf } from "../api/bot-identity.ts";
import { textIn } from "./event-schema.ts";
import { parseHtml } from "./parse-html.ts";
import { isUserId } from "./user-links.ts";

/** A text of the platform as the contract has it. */
export interface ParsedText {
  readonly text: string;
  readonly mentions: readonly Mention[];
  readonly mentionsBot: boolean;
}

const MentionsSchema = z.looseObject({ user_ids: z.array(z.string()).catch([]) });
/** Formatted texts fill an event at most; larger ones come from no server. */
const MAX_HTML_LENGTH = 65_536;
const MAX_MENTIONS = 50;

/**
 * Converts the text of a content. People are named by `m.mentions`; a message without it was written by an older client, which meant everybody whom it linked
 * or wrote by name. `isReply`: a quote in front of the text is that client's form of an answer and is dropped.
 */
export function parseText(
  content: Readonly<Record<string, unknown>>,
  { bot, isReply, nameOf }: { readonly bot: Bot; readonly isReply: boolean; readonly nameOf: (userId: string) => string | undefined },
): ParsedText {
  const html = textIn(content, "format") === "org.matrix.custom.html" ? textIn(content, "formatted_body") : "";
  const intended = MentionsSchema.safeParse(content["m.mentions"]).data?.user_ids.filter(isUserId);
  if (html !== "" && html.length <= MAX_HTML_LENGTH) {
    const { text, mentions } = parseHtml(html, { selfId: bot.id });
    return {
      text,
      mentions: mentions.filter(({ id }) => id !== bot.id),
      mentionsBot: intended === undefined ? mentions.some(({ id }) => id === bot.id) : intended.includes(bot.id),
    };
  }
  const body = textIn(content, "body");
  const typed = isReply ? withoutQuote(body) : body;
  const mentionsBot = intended === undefined ? namesBot(typed, bot) : intended.includes(bot.id);
  return {
    text: mentionsBot ? withoutAddress(typed, bot) : typed,
    mentions: (intended ?? []).flatMap((id) => (id === bot.id ? [] : mentionIn(typed, id, nameOf))).slice(0, MAX_MENTIONS),
    mentionsBot,
  };
}

/** The lines of a quote in front of an answer, as older clients write them. */
function withoutQuote(body: string): string {
  return body.startsWith("> <") || body.startsWith("> * <") ? body.replace(/^(?:>[^\n]*\n)+\n?/, "") : body;
}

function namesOf({ id, name }: Bot): readonly string[] {
  return [id, name, localpartOf(id)].toSorted((left, right) => right.length - left.length);
}

function namesBot(body: string, bot: Bot): boolean {
  return namesOf(bot).some((name) => new RegExp(String.raw`(?<![\p{L}\p{N}_])@?${RegExp.escape(name)}(?![\p{L}\p{N}_])`, "iu").test(body));
}

/** The text without the bot's name in front, as people address each other. */
function withoutAddress(body: string, bot: Bot): string {
  for (const name of namesOf(bot)) {
    const word = RegExp.escape(name.replace(/^@/, ""));
    const rest = body.replace(new RegExp(String.raw`^\s*(?:@?${word}[,:]\s*|@${word}(?:\s+|$))`, "iu"), "");
    if (rest !== body) return rest;
  }
  return body;
}

/** A person whom a plain text names: by the display name, or by the id. */
function mentionIn(body: string, id: string, nameOf: (userId: string) => string | undefined): Mention[] {
  const name = [nameOf(id), id.slice(1), localpartOf(id)].find((one) => one !== undefined && one !== "" && body.includes(one));
  return name === undefined ? [] : [{ id, name }];
}
