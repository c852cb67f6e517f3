import { expect, test } from "vitest";
import { parseHandles } from "../index.ts";

const read = (text: string): readonly [boolean, readonly string[]] => {
  const { mentionsBot, mentions } = parseHandles(text, { bot: "factotum", everyone: ["all", "here"] });
  return [mentionsBot, mentions.map(({ name }) => name)];
};

test.each<[string, boolean, readonly string[]]>([
  ["@factotum hello", true, []],
  ["ask @Factotum, or @bob.smith.", true, ["bob.smith"]],
  ["@bob and @BOB and @al-ice", false, ["bob", "al-ice"]],
  ["@here @all: look", false, []],
  ["mail@factotum.example, https://x.example/@factotum, a.@factotum", false, []],
  ["`@factotum` and ```\n@bob\n``` but @carol", false, ["carol"]],
  ["@factotum2 @factotum-bot", false, ["factotum2", "factotum-bot"]],
  ["(@factotum) @", true, []],
  ["", false, []],
])("%j", (text, mentionsBot, names) => {
  expect(read(text)).toEqual([mentionsBot, names]);
});

test("a platform can allow other characters", () => {
  const options = { bot: "bot", characters: String.raw`[\p{L}]` };
  expect(parseHandles("@Žofie und @bob.smith", options).mentions).toEqual([{ name: "Žofie" }, { name: "bob" }]);
});
