import { createEmojiNames } from "@factotum/channel-kit";

const NAMES = createEmojiNames();

/** An emoji or a name of one, with or without colons, in the platform's writing: without variation selector and skin tone. What is not known stays as it is. */
export function reactionEmoji(emoji: string): string {
  const name = NAMES.nameOf(emoji);
  const known = name === undefined ? undefined : NAMES.emojiOf(name);
  return (known ?? emoji).replaceAll("\uFE0F", "");
}
