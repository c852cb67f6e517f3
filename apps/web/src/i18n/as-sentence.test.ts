import { i18n } from "@lingui/core";
import { expect, test } from "vitest";
import { asSentence } from "./as-sentence.ts";

test.each([
  ["getaddrinfo ENOTFOUND", "getaddrinfo ENOTFOUND."],
  ["It was refused.", "It was refused."],
  ["It says “no.”", "It says “no.”"],
  ["", ""],
])("a reason ends before the next sentence: %s", (text, sentence) => {
  expect(asSentence(text)).toBe(sentence);
});

test("a Chinese reason ends with a Chinese full stop", () => {
  i18n.loadAndActivate({ locale: "zh-CN", messages: {} });
  try {
    expect([asSentence("连不上"), asSentence("连不上。")]).toEqual(["连不上。", "连不上。"]);
  } finally {
    i18n.loadAndActivate({ locale: "en", messages: {} });
  }
});
