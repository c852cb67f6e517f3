import iamcal from "emojibase-data/en/shortcodes/iamcal.json" with { type: "json" };
import { expect, test } from "vitest";
import { createEmojiNames } from "./index.ts";

const names = createEmojiNames();

// A published kit without a dependency of 49 MB: the names are copied by `vitest run --project channel-kit emoji-names -u`.
test("the table is that of emojibase-data", async () => {
  const rows = Object.entries(iamcal as Readonly<Record<string, string | readonly string[]>>).map(([hexcode, names]) =>
    [hexcode, ...(typeof names === "string" ? [names] : names)].join(" "),
  );
  const head =
    "/** Code points and names of emoji, from emojibase-data 17.0.0 by Miles Johnson and emoji-data by Cal Henderson (both MIT). */";
  await expect(`${head}\nexport const EMOJI_TABLE: string =\n  "${rows.join("|")}";\n`).toMatchFileSnapshot("emoji-table.gen.ts");
});

test.each([
  ["👍", "+1"],
  ["❤️", "heart"],
  ["❤", "heart"],
  ["👋🏽", "wave"],
  ["🤔", "thinking_face"],
  ["👩‍💻", "female-technologist"],
  ["#️⃣", "hash"],
  ["🇫🇷", "fr"],
])("%s is %s, and back", (emoji, name) => {
  expect(names.nameOf(emoji)).toBe(name);
  expect(names.nameOf(names.emojiOf(name) ?? "")).toBe(name);
});

test("names stay as they are, with and without colons and skin tones", () => {
  expect(["party-parrot", ":party-parrot:", ":wave::skin-tone-3:"].map((name) => names.nameOf(name))).toEqual([
    "party-parrot",
    "party-parrot",
    "wave",
  ]);
  expect([":+1:", "thumbsup", "wave::skin-tone-2", "party-parrot"].map((name) => names.emojiOf(name))).toEqual([
    "👍",
    "👍",
    "👋",
    undefined,
  ]);
});

test("what is neither an emoji nor a name has no name", () => {
  for (const text of ["", "Not a name", "👍👍", "\uFE0F"]) expect(names.nameOf(text)).toBeUndefined();
});

test("a platform's own names win, and keep the shared ones as aliases", () => {
  expect(createEmojiNames({ heart: "💙" }).emojiOf("heart")).toBe("💙");
  const own = createEmojiNames({ THUMBSUP: "👍", thinking: "🤔" });
  expect([own.nameOf("👍"), own.nameOf("🤔"), own.nameOf("👎")]).toEqual(["THUMBSUP", "thinking", "-1"]);
  expect([own.emojiOf("THUMBSUP"), own.emojiOf("+1"), own.emojiOf("thinking_face")]).toEqual(["👍", "👍", "🤔"]);
});
