import type { Mention } from "@factotum/channel-contract";
import { parseEntities } from "@factotum/channel-kit";
import type { EntityStyle, TextEntity } from "@factotum/channel-kit";
import type { Bot } from "../api/bot-identity.ts";
import { nameOf } from "../conversation-id.ts";
import type { MessageContent, TelegramEntity } from "./update-types.ts";

/** A text of the platform as the contract has it. */
export interface ParsedText {
  readonly text: string;
  readonly mentions: readonly Mention[];
  readonly mentionsBot: boolean;
}

const STYLES: Readonly<Record<string, EntityStyle | undefined>> = {
  bold: { type: "strong" },
  italic: { type: "emphasis" },
  strikethrough: { type: "strikethrough" },
  code: { type: "code" },
  blockquote: { type: "quote" },
  expandable_blockquote: { type: "quote" },
};

/** The text of a message, or the caption of its file. */
export function textOf({ text, entities, caption, caption_entities: captionEntities }: MessageContent): {
  readonly text: string;
  readonly entities: readonly TelegramEntity[];
} {
  return text === undefined ? { text: caption ?? "", entities: captionEntities } : { text, entities };
}

/**
 * Converts a text with entities to Markdown. Without styles it stays as it was typed. The bot's name at the very beginning only addresses the message and is
 * removed.
 */
export function parseText(source: { readonly text: string; readonly entities: readonly TelegramEntity[] }, bot: Bot): ParsedText {
  const { text, entities } = withoutAddress(source, bot);
  const mentions = entities.flatMap((entity) => mentionOf(entity, text, bot));
  const styled = entities.flatMap((entity) => toTextEntity(entity));
  return {
    text: styled.some(({ style }) => style.type !== "mention") ? parseEntities(text, styled) : withNames(text, entities),
    mentions: mentions.filter(({ name }, at) => mentions.findIndex((one) => one.name === name) === at),
    mentionsBot: source.entities.some((entity) => isBot(entity, source.text, bot)),
  };
}

/** True for an entity that names the bot: a mention, or a command with its name. */
function isBot(entity: TelegramEntity, text: string, { id, username }: Bot): boolean {
  const words = partOf(entity, text).toLowerCase();
  if (entity.type === "text_mention") return String(entity.user?.id) === id;
  if (username === "") return false;
  if (entity.type === "mention") return words === `@${username.toLowerCase()}`;
  return entity.type === "bot_command" && words.endsWith(`@${username.toLowerCase()}`);
}

function withoutAddress(
  { text, entities }: { readonly text: string; readonly entities: readonly TelegramEntity[] },
  bot: Bot,
): { readonly text: string; readonly entities: readonly TelegramEntity[] } {
  const first = entities.find(({ offset, type }) => offset === 0 && (type === "mention" || type === "text_mention"));
  if (first === undefined || !isBot(first, text, bot)) return { text, entities };
  const rest = text.slice(first.length).replace(/^[\s,:]+/, "");
  const cut = text.length - rest.length;
  return {
    text: rest,
    entities: entities.flatMap((entity) => {
      const end = entity.offset + entity.length - cut;
      const offset = Math.max(0, entity.offset - cut);
      return end > offset ? [{ ...entity, offset, length: end - offset }] : [];
    }),
  };
}

function mentionOf(entity: TelegramEntity, text: string, bot: Bot): Mention[] {
  if (isBot(entity, text, bot)) return [];
  if (entity.type === "mention") return [{ name: partOf(entity, text).slice(1) }];
  if (entity.type !== "text_mention" || entity.user === undefined) return [];
  const name = partOf(entity, text).replace(/^@/, "") || nameOf(entity.user);
  return [{ id: String(entity.user.id), name }];
}

/** People without a handle are named without an `@`. */
function withNames(text: string, entities: readonly TelegramEntity[]): string {
  const starts = entities
    .filter(({ type, offset }) => type === "text_mention" && text.charAt(offset) !== "@")
    .map(({ offset }) => offset)
    .toSorted((left, right) => right - left);
  return starts.reduce((whole, offset) => `${whole.slice(0, offset)}@${whole.slice(offset)}`, text);
}

function toTextEntity({ type, offset, length, url, language }: TelegramEntity): TextEntity[] {
  const style = STYLES[type];
  if (style !== undefined) return [{ offset, length, style }];
  if (type === "pre") return [{ offset, length, style: { type: "code-block", ...(language !== undefined && { language }) } }];
  if (type === "text_link" && url !== undefined) return [{ offset, length, style: { type: "link", url } }];
  if (type === "text_mention") return [{ offset, length, style: { type: "mention" } }];
  return [];
}

function partOf({ offset, length }: TelegramEntity, text: string): string {
  return text.slice(offset, offset + length);
}
