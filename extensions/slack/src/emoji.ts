import { createEmojiNames } from "@factotum/channel-kit";

/** Common emoji, for the list of emoji. Every other one has its name, too. */
export const KNOWN_EMOJI: readonly string[] = Array.from(
  "👍👎❤💔💙💚💛💜🧡🖤😂🤣😀😄😁😅🙂😉😊😍🥰😘😎🤔🤨😐🙄😏😢😭😡😠😱😳🥳🤯😴🤮🤢🤷" +
    "🤦👀👌👏🙌🙏👋💪✌🤞🤝👆👇👉👈✋✊✅✔☑❌❎⚠❗❓‼➕➖🎉🎊🚀🔥✨⭐🌟💯💡🐛🔧🔒" +
    "🔑🔍📌📎📝📅📈📉💬💭🤖👻💩💀☕🍕🍺🍻🎂🎁🏆🎯⏰⏳⌛🔁🔄🛑🚫⛔🟢🔴🟡☀🌧🌈🐶🐱",
);

/** Names that people type; the platform accepts them, too. */
const ALIASES = { thinking_face: "🤔", thinking: "🤔" };

const SKIN_TONE = /::?skin-tone-[2-6]:?$/;

const EMOJI = createEmojiNames(ALIASES);

/** The emoji of a name as Unicode, by the code points that the platform gives if it does; a workspace's own emoji by its name between colons. */
export function emojiOf(name: string, codePoints?: string): string {
  if (codePoints !== undefined && /^[0-9a-f]{2,6}(?:-[0-9a-f]{2,6})*$/i.test(codePoints)) {
    const points = codePoints.split("-").map((point) => Number.parseInt(point, 16));
    if (points.every((point) => point <= 0x10_ff_ff)) return String.fromCodePoint(...points);
  }
  const plain = name.replace(SKIN_TONE, "").replaceAll(":", "");
  return EMOJI.emojiOf(plain) ?? `:${plain}:`;
}

/** The platform's name of an emoji, given as Unicode or as a name with or without colons; `undefined` if it is not known. */
export function emojiName(emoji: string): string | undefined {
  return EMOJI.nameOf(emoji);
}
