import { expect, test } from "vitest";
import { flattenMarkdown, plainText, renderMarkdown, replaceMentions } from "../index.ts";

const DIALECT = plainText();
const rendered = (text: string, ...names: readonly string[]): string =>
  renderMarkdown(
    replaceMentions(flattenMarkdown(text, DIALECT), names, (name) => `<${name}>`),
    { dialect: DIALECT },
  ).join("");

test.each([
  ["@Ann", "<Ann>"],
  ["(@Ann), **@Ann**: @Ann's and @Ann.", "(<Ann>), <Ann>: <Ann>'s and <Ann>."],
  ["@Ann Lee and @Ann", "<Ann Lee> and <Ann>"],
  ["你好@小明你看", "你好<小明>你看"],
  ["@Annabel, @Ann-Marie, @Ann_2 and @Ann.example", "@Annabel, @Ann-Marie, @Ann_2 and @Ann.example"],
  ["mail bob@Ann or é@Ann or @@Ann", "mail bob@Ann or é@Ann or @@Ann"],
  ["`@Ann` and https://chat.example/@Ann and irc://x/@Ann", "@Ann and https://chat.example/@Ann and irc://x/@Ann"],
  ["    @Ann\n\n```\n@Ann\n```", "@Ann\n\n@Ann"],
  ["[@Ann](https://chat.example/)", "<Ann> (https://chat.example/)"],
])("%j names people as %j", (text, result) => {
  expect(rendered(text, "Ann", "Ann Lee", "小明", " ")).toBe(result);
});

test("a name is literal", () => {
  expect(rendered("@a.c and @abc and @[x]^", "a.c", "[x]^")).toBe("<a.c> and @abc and <[x]^>");
});
