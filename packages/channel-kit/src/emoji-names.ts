import { EMOJI_TABLE } from "./emoji-table.gen.ts";

/** The names of a platform's emoji. */
export interface EmojiNames {
  /** The name of an emoji, whatever its skin tone; a name, with or without colons, stays as it is. `undefined` if there is none. */
  nameOf(emoji: string): string | undefined;
  /** The emoji of a name, with or without colons, without its skin tone; `undefined` for a name that is not in the table, such as one of a workspace's own. */
  emojiOf(name: string): string | undefined;
}

/** Variation selectors and skin tones. */
const VARIATION = /[\uFE0E\uFE0F]|\u{1F3FB}|\u{1F3FC}|\u{1F3FD}|\u{1F3FE}|\u{1F3FF}/gu;
const NAME = /^:?([a-z0-9_+'-]{1,100})(?:::skin-tone-[2-6])?:?$/;

/**
 * Creates the table with the names that most chat platforms share (those of emoji-data). `own`: names of the platform that differ or are missing there, each
 * with its emoji; they win. The first of several names of an emoji is the one that `nameOf` returns.
 */
export function createEmojiNames(own: Readonly<Record<string, string>> = {}): EmojiNames {
  const emojiByName = new Map<string, string>();
  const nameByEmoji = new Map<string, string>();
  const add = (name: string, emoji: string): void => {
    const plain = emoji.replaceAll(VARIATION, "");
    if (!emojiByName.has(name)) emojiByName.set(name, emoji);
    if (plain !== "" && !nameByEmoji.has(plain)) nameByEmoji.set(plain, name);
  };
  for (const [name, emoji] of Object.entries(own)) add(name, emoji);
  for (const row of EMOJI_TABLE.split("|")) {
    const [hexcode = "", ...names] = row.split(" ");
    const emoji = String.fromCodePoint(...hexcode.split("-").map((point) => Number.parseInt(point, 16)));
    for (const name of names) add(name, emoji);
  }
  return {
    nameOf: (emoji) => nameByEmoji.get(emoji.replaceAll(VARIATION, "")) ?? NAME.exec(emoji)?.[1],
    emojiOf: (name) => emojiByName.get(NAME.exec(name)?.[1] ?? name),
  };
}
