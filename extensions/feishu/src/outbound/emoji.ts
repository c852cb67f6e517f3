/** Feishu's names of the reactions that people know as emoji. */
const NAMES: Readonly<Record<string, string>> = {
  "👍": "THUMBSUP",
  "👎": "ThumbsDown",
  "❤": "HEART",
  "😂": "LOL",
  "😄": "LAUGH",
  "🙂": "SMILE",
  "😊": "BLUSH",
  "😢": "CRY",
  "😭": "SOB",
  "😡": "ANGRY",
  "😱": "TERROR",
  "🤔": "THINKING",
  "👀": "GLANCE",
  "👌": "OK",
  "✅": "DONE",
  "✔": "CheckMark",
  "❌": "CrossMark",
  "🎉": "PARTY",
  "👏": "APPLAUSE",
  "🙏": "THANKS",
  "💪": "MUSCLE",
  "🔥": "Fire",
  "🌹": "ROSE",
  "🚀": "OnIt",
  "⏳": "Typing",
};

const EMOJI: ReadonlyMap<string, string> = new Map(Object.entries(NAMES).map(([emoji, name]) => [name, emoji]));

/** The emoji that a reaction can have; the platform has more under names of its own. */
export const EMOJI_NAMES: readonly string[] = Object.keys(NAMES);

/** The Unicode emoji for the platform's name; a name without one is unchanged. */
export function emojiOf(type: string): string {
  return EMOJI.get(type) ?? type;
}

/** The platform's name for an emoji; a name of the platform is unchanged. `undefined` if there is none. */
export function emojiType(emoji: string): string | undefined {
  const plain = emoji.replaceAll("\ufe0f", "");
  return NAMES[plain] ?? (/^[A-Za-z0-9_]+$/.test(plain) ? plain : undefined);
}
