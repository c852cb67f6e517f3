import fc from "fast-check";
import { expect, test } from "vitest";
import { readMarkdown } from "../../test/dialect-readers.ts";
import type { StyledCharacter } from "../../test/dialect-readers.ts";
import { parseEntities } from "../index.ts";
import type { EntityStyle, TextEntity } from "../index.ts";

/** The entity of the first occurrence of a part. */
const at = (text: string, part: string, style: EntityStyle): TextEntity => ({ offset: text.indexOf(part), length: part.length, style });

test.each<[string, string, readonly TextEntity[]]>([
  ["plain_text * 2 < 3", "plain_text * 2 < 3", []],
  ["*not bold*", "\\*not bold\\*", []],
  ["# no heading", "\\# no heading", []],
  ["a bold word", "a **bold** word", [at("a bold word", "bold", { type: "strong" })]],
  ["👍🏽 ok", "👍🏽 **ok**", [{ offset: 5, length: 2, style: { type: "strong" } }]],
  ["bold ", "**bold**", [{ offset: 0, length: 5, style: { type: "strong" } }]],
  [
    "both one",
    "***both** one*",
    [
      { offset: 0, length: 8, style: { type: "emphasis" } },
      { offset: 0, length: 4, style: { type: "strong" } },
    ],
  ],
  ["a `b` c", "a `` `b` `` c", [at("a `b` c", "`b`", { type: "code" })]],
  [
    "x\nlet a = `1`;\n  b\ny",
    "x\n\n```js\nlet a = `1`;\n  b\n```\n\ny",
    [at("x\nlet a = `1`;\n  b\ny", "let a = `1`;\n  b", { type: "code-block", language: "js" })],
  ],
  ["one\ntwo\nthree", "> one\n> two\n\nthree", [at("one\ntwo\nthree", "one\ntwo", { type: "quote" })]],
  ["see here", "see [here](https://x.example/a_b)", [at("see here", "here", { type: "link", url: "https://x.example/a_b" })]],
  ["see here", "see here", [at("see here", "here", { type: "link", url: "javascript:alert(1)" })]],
  ["Ann, hi", "@Ann, hi", [at("Ann, hi", "Ann", { type: "mention" })]],
  ["@ann, hi", "@ann, hi", [at("@ann, hi", "@ann", { type: "mention" })]],
  ["a\n\n\nb\nc", "a\n\nb\nc", []],
  [
    "x",
    "x",
    [
      { offset: -1, length: 1, style: { type: "strong" } },
      { offset: 0.5, length: 1, style: { type: "strong" } },
      { offset: 1, length: 9, style: { type: "code" } },
    ],
  ],
])("%j becomes %j", (text, markdown, entities) => {
  expect(parseEntities(text, entities)).toBe(markdown);
});

const style = fc.oneof(
  fc.constantFrom("strong", "emphasis", "strikethrough", "code", "quote").map((type): EntityStyle => ({ type })),
  fc.constantFrom<EntityStyle>(
    { type: "code-block" },
    { type: "code-block", language: "ts" },
    { type: "link", url: "https://x.example/(a)?b=*" },
  ),
);
const word = fc.constantFrom(
  ..."*_~`\\[]()<>&|!#+-=:.@\"'{}^$1".split(""),
  ..."**|__|~~|```|www.a.b|https://a.b|a@b.c|1.|- | |  |\n|\n\n|\t|&amp;|<b>|[x](y)".split("|"),
  ..."a|word|snake_case|ünï|文字。|👍|👨‍👩‍👧|🇩🇪|é".split("|"),
);
const textAndEntities = fc.array(word, { maxLength: 14 }).chain((words) => {
  const text = words.join("");
  const range = fc.record({ offset: fc.nat(text.length), length: fc.nat(text.length), style });
  return fc.record({ text: fc.constant(text), entities: fc.array(range, { maxLength: 5 }) });
});

/** The visible characters with the styles that their entities give them. */
function shown(text: string, entities: readonly TextEntity[]): StyledCharacter[] {
  const ranges = entities.map((entity) => ({ ...entity, end: Math.min(text.length, entity.offset + entity.length) }));
  let offset = 0;
  return Array.from(text).flatMap((character) => {
    const [start, end] = [offset, offset + character.length];
    offset = end;
    const types = ranges.filter((range) => range.length > 0 && range.offset < end && start < range.end).map(({ style: { type } }) => type);
    const isCode = types.includes("code-block");
    const styles = isCode ? ["code-block"] : types.filter((type) => type !== "quote");
    return /\s/.test(character) ? [] : [{ character, styles: [...new Set(styles)].toSorted().join("+") }];
  });
}

test("the Markdown shows the same characters in the same styles (property)", () => {
  fc.assert(
    fc.property(textAndEntities, ({ text, entities }) => {
      // Markdown makes links of addresses.
      const compared = (characters: readonly StyledCharacter[]): readonly StyledCharacter[] =>
        /www\.|:\/\/|@/.test(text)
          ? characters.map(({ character, styles }) => ({
              character,
              styles: styles
                .split("+")
                .filter((one) => one !== "link")
                .join("+"),
            }))
          : characters;
      expect(compared(readMarkdown(parseEntities(text, entities)))).toEqual(compared(shown(text, entities)));
    }),
    { numRuns: 1_000 },
  );
});
