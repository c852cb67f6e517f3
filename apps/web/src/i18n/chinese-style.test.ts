import { expect, test } from "vitest";
import messages from "./catalogues/zh-CN.json" with { type: "json" };
import errors from "./gateway-texts/errors.zh-CN.json" with { type: "json" };
import settings from "./gateway-texts/settings.zh-CN.json" with { type: "json" };
import things from "./gateway-texts/things.zh-CN.json" with { type: "json" };

const translations = [messages, errors, settings, things].flatMap((texts) => Object.values<string>(texts));

test.each([
  ["people are addressed in one way", /您/],
  ["punctuation next to a Han character is that of Chinese", /\p{Script=Han}[:;,!?()]|[:;,!?()]\p{Script=Han}/u],
  ["no space follows the punctuation of Chinese", /[。！？；：，、）] |。\{\d+\} \//],
  ["a prompt, a token and an answer have one name", /系统提示(?!词)|答复|(?:个|的|成) ?Token/],
  ["changes are thrown away by one word", /放弃(?:我的)?(?:修改|更改)/],
])("%s", (_rule, broken) => {
  expect(translations.filter((text) => broken.test(text))).toEqual([]);
});

test("the page of one agent and that of all have two names, which texts use", () => {
  expect(messages.Agents).not.toBe(messages.Agent);
  const texts = [
    messages["Change the bindings on the page Agents"],
    messages["There is no such agent any longer. The page Agents lists those that there are."],
  ];
  expect(texts.filter((text) => !text.includes(`“${messages.Agents}”`))).toEqual([]);
});
