/** The platform's names of common emoji. Emoji without an entry are used by their name between colons. */
const NAMES: Readonly<Record<string, string>> = {
  "👍": "+1",
  "👎": "-1",
  "❤": "heart",
  "💔": "broken_heart",
  "💙": "blue_heart",
  "💚": "green_heart",
  "💛": "yellow_heart",
  "💜": "purple_heart",
  "🧡": "orange_heart",
  "🖤": "black_heart",
  "😂": "joy",
  "🤣": "rolling_on_the_floor_laughing",
  "😀": "grinning",
  "😄": "smile",
  "😁": "grin",
  "😅": "sweat_smile",
  "🙂": "slightly_smiling_face",
  "😉": "wink",
  "😊": "blush",
  "😍": "heart_eyes",
  "🥰": "smiling_face_with_3_hearts",
  "😘": "kissing_heart",
  "😎": "sunglasses",
  "🤔": "thinking_face",
  "🤨": "face_with_raised_eyebrow",
  "😐": "neutral_face",
  "🙄": "face_with_rolling_eyes",
  "😏": "smirk",
  "😢": "cry",
  "😭": "sob",
  "😡": "rage",
  "😠": "angry",
  "😱": "scream",
  "😳": "flushed",
  "🥳": "partying_face",
  "🤯": "exploding_head",
  "😴": "sleeping",
  "🤮": "face_vomiting",
  "🤢": "nauseated_face",
  "🤷": "shrug",
  "🤦": "face_palm",
  "👀": "eyes",
  "👌": "ok_hand",
  "👏": "clap",
  "🙌": "raised_hands",
  "🙏": "pray",
  "👋": "wave",
  "💪": "muscle",
  "✌": "v",
  "🤞": "crossed_fingers",
  "🤝": "handshake",
  "👆": "point_up_2",
  "👇": "point_down",
  "👉": "point_right",
  "👈": "point_left",
  "✋": "hand",
  "✊": "fist",
  "✅": "white_check_mark",
  "✔": "heavy_check_mark",
  "☑": "ballot_box_with_check",
  "❌": "x",
  "❎": "negative_squared_cross_mark",
  "⚠": "warning",
  "❗": "exclamation",
  "❓": "question",
  "‼": "bangbang",
  "➕": "heavy_plus_sign",
  "➖": "heavy_minus_sign",
  "🎉": "tada",
  "🎊": "confetti_ball",
  "🚀": "rocket",
  "🔥": "fire",
  "✨": "sparkles",
  "⭐": "star",
  "🌟": "star2",
  "💯": "100",
  "💡": "bulb",
  "🐛": "bug",
  "🔧": "wrench",
  "🔒": "lock",
  "🔑": "key",
  "🔍": "mag",
  "📌": "pushpin",
  "📎": "paperclip",
  "📝": "memo",
  "📅": "date",
  "📈": "chart_with_upwards_trend",
  "📉": "chart_with_downwards_trend",
  "💬": "speech_balloon",
  "💭": "thought_balloon",
  "🤖": "robot_face",
  "👻": "ghost",
  "💩": "hankey",
  "💀": "skull",
  "☕": "coffee",
  "🍕": "pizza",
  "🍺": "beer",
  "🍻": "beers",
  "🎂": "birthday",
  "🎁": "gift",
  "🏆": "trophy",
  "🎯": "dart",
  "⏰": "alarm_clock",
  "⏳": "hourglass_flowing_sand",
  "⌛": "hourglass",
  "🔁": "repeat",
  "🔄": "arrows_counterclockwise",
  "🛑": "octagonal_sign",
  "🚫": "no_entry_sign",
  "⛔": "no_entry",
  "🟢": "large_green_circle",
  "🔴": "red_circle",
  "🟡": "large_yellow_circle",
  "☀": "sunny",
  "🌧": "rain_cloud",
  "🌈": "rainbow",
  "🐶": "dog",
  "🐱": "cat",
};

/** The emoji that can be given as Unicode. */
export const KNOWN_EMOJI: readonly string[] = Object.keys(NAMES);

const ALIASES: Readonly<Record<string, string>> = {
  thumbsup: "👍",
  thumbsdown: "👎",
  thinking: "🤔",
  laughing: "😆",
  satisfied: "😆",
  raised_hand: "✋",
  poop: "💩",
  pencil: "📝",
  heavy_exclamation_mark: "❗",
};

const EMOJI: ReadonlyMap<string, string> = new Map([
  ...Object.entries(NAMES).map(([emoji, name]) => [name, emoji] as const),
  ...Object.entries(ALIASES),
]);

const SKIN_TONE = /::?skin-tone-[2-6]:?$/;
const VARIATION = /[\uFE0E\uFE0F]|\u{1F3FB}|\u{1F3FC}|\u{1F3FD}|\u{1F3FE}|\u{1F3FF}/gu;

/** The emoji of a name as Unicode, by the code points that the platform gives if it does; a workspace's own emoji by its name between colons. */
export function emojiOf(name: string, codePoints?: string): string {
  if (codePoints !== undefined && /^[0-9a-f]{2,6}(?:-[0-9a-f]{2,6})*$/i.test(codePoints)) {
    const points = codePoints.split("-").map((point) => Number.parseInt(point, 16));
    if (points.every((point) => point <= 0x10_ff_ff)) return String.fromCodePoint(...points);
  }
  const plain = name.replace(SKIN_TONE, "").replaceAll(":", "");
  return EMOJI.get(plain) ?? `:${plain}:`;
}

/** The platform's name of an emoji, given as Unicode or as a name with or without colons; `undefined` if it is not known. */
export function emojiName(emoji: string): string | undefined {
  const known = NAMES[emoji.replaceAll(VARIATION, "")];
  if (known !== undefined) return known;
  const [, name] = /^:?([a-z0-9_+'-]{1,100})(?:::skin-tone-[2-6])?:?$/.exec(emoji) ?? [];
  return name;
}
