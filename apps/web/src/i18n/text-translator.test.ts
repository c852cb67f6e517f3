import fc from "fast-check";
import { expect, test } from "vitest";
import { createTextTranslator } from "./text-translator.ts";

const { translate, learn } = createTextTranslator({
  "There is no job {0}.": "没有任务 {0}。",
  "There is no {0}.": "没有 {0}。",
  "{0} answers {1}.": "{0} 应答 {1}。",
  'There is no agent "{0}".': "没有智能体“{0}”。",
  "{0} has changed since {1}.": "{1} 之后 {0} 已变化。",
  "It was not sent: {0}": "未发送：{0}",
  "The port is taken.": "端口被占用。",
  'The job "{0}" said: "{1}"': "任务“{0}”说：“{1}”",
  "Try again in {0} s.": "{0} 秒后重试。",
  "a text is expected": "需要文本",
  "{0} is expected": "需要{0}",
  "a number from {0} to {1}": " {0} 到 {1} 的数字",
  "{0} or {1}": "{0}或{1}",
  "a text": "文本",
  "a list": "列表",
  "the port": "该端口",
  "{0} failed{1}": "{0} 失败{1}",
  "two words": "两个词",
  Memory: "记忆",
});

test.each([
  ["as it is in the catalogue", "The port is taken.", "端口被占用。"],
  ["by the template with the most characters of its own", 'There is no job "x".', '没有任务 "x"。'],
  ["with its values in the order of the language", "notes.md has changed since Monday.", "Monday 之后 notes.md 已变化。"],
  ["sentence by sentence", "The port is taken. Try again in 3 s.", "端口被占用。3 秒后重试。"],
  ["those sentences that are known", "The port is taken. Ask Bob. Try again in 3 s.", "端口被占用。Ask Bob. 3 秒后重试。"],
  ["line by line", "x: a number from 1 to 2\nWhat?\n\nTry again in 3 s.", "x:  1 到 2 的数字\nWhat?\n\n3 秒后重试。"],
  ["a text in a text", "It was not sent: The port is taken.", "未发送：端口被占用。"],
  ["behind the name of a key", "gateway.port: The port is taken.", "gateway.port: 端口被占用。"],
  ["a clause as a sentence, and a sentence as a clause", "a text is expected. Try again in 3 s", "需要文本。3 秒后重试"],
  ["a text in parentheses", "It was not sent: (the port)", "未发送：（该端口）"],
  ["clauses, one by one", "x.y: a text is expected; a text or a list is expected; ask Bob", "x.y: 需要文本；需要文本或列表；ask Bob"],
  ["no deeper than three texts in each other", `${"It was not sent: ".repeat(5)}x y`, `It was not sent: ${"未发送：".repeat(4)}x y`],
  ["by what leaves the least of it", "a number from 1 to 5 is expected", "需要 1 到 5 的数字"],
  ["but no words behind a word by a template of endings", "The house failed on Monday", "The house failed on Monday"],
  ["a remark after what is unknown", "a/b (two words)", "a/b（两个词）"],
  [
    "the frame of what others say, and not their words",
    'The job "x" said: "The port is taken. Try again in 3 s."',
    "任务“x”说：“The port is taken. Try again in 3 s.”",
  ],
  [
    "but no block of code",
    "The port is taken.\n```\nThe port is taken.\n```\nThe port is taken.",
    "端口被占用。\n```\nThe port is taken.\n```\n端口被占用。",
  ],
  ["what follows a colon in a value", "local/m failed: ECONNREFUSED", "local/m 失败：ECONNREFUSED"],
  ["a word with an ending", "The house failed (500)", "The house 失败（500）"],
  ["without the spaces around a name, where a value is translated", "the port answers two words.", "该端口应答两个词。"],
  ["with the spaces around a name", "Bob answers nora.", "Bob 应答 nora。"],
  ["with the mark of Chinese before a clause of it", "Who knows; the port answers Bob", "Who knows；该端口应答 Bob"],
  ["but no words of others by a template of few letters", "Tea or milk, please", "Tea or milk, please"],
  ["but no name that is a known text, too", 'There is no agent "two words".', "没有智能体“two words”。"],
  ["nor a single word", "There is no Memory.", "没有 Memory。"],
  ["nor what is unknown", "Something else.", "Something else."],
  ["nor an empty text", "", ""],
])("translates a text: %s", (_how, text, expected) => {
  expect(translate(text)).toBe(expected);
  // The second time it is remembered.
  expect(translate(text)).toBe(expected);
});

test("a template that begins with a value does not swallow the sentences before it", () => {
  expect(translate("What is this? notes.md has changed since Monday.")).toBe("What is this? Monday 之后 notes.md 已变化。");
  expect(translate("x.y: a text is expected")).toBe("x.y: 需要文本");
  expect(translate("{ a: b } is expected")).toBe("需要{ a: b }");
  expect(translate("What is this? The port is taken.")).toBe("What is this? 端口被占用。");
});

test("values are no templates, and do not turn the sentence around them", () => {
  expect(translate("There is no job {0} $& \\u4f60.")).toBe("没有任务 {0} $& \\u4f60。");
  expect(translate("There is no job \u202e\u05d0.")).toBe("没有任务 \u2068\u05d0\u2069。");
});

test("learns texts without values later, and is not misled by what it said before", () => {
  expect(translate("a text is expected (Name; of the app)")).toBe("需要文本(Name; of the app)");
  learn({ "Name; of the app.": "应用的名称。", "a text": "another" });
  expect(translate("a text is expected (Name; of the app)")).toBe("需要文本（应用的名称）");
});

test("a long text is not searched", () => {
  expect(translate(`There is no job ${"x".repeat(5_000)}.`)).toMatch(/^There/);
});

const word = fc.string({ unit: "grapheme-ascii", minLength: 3, maxLength: 20 }).filter((text) => !/[{}]/.test(text));
// Marks that join clauses become those of the language, also in a value that is made of clauses.
const value = fc.string({ unit: "grapheme-ascii", maxLength: 12 }).filter((text) => !/[():;,.!?]/.test(text));

test("the values of a template come back from any text that is made of it", () => {
  const parts = fc.array(fc.tuple(word, value), { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(word, parts, (start, rest) => {
      // A value that makes the part after it appear earlier is a text of another template.
      fc.pre(rest.every(([after, one]) => (one + after).indexOf(after) === one.length));
      // Words that follow a word must be of the catalogue themselves.
      const before = [start, ...rest.map(([after]) => after)];
      fc.pre(rest.every(([, one], at) => one === "" || !/\p{L}$/u.test(before[at] ?? "")));
      const english = start + rest.map(([after], index) => `{${index}}${after}`).join("");
      const chinese = rest.map((_, index) => `{${rest.length - 1 - index}}`).join("\u0000");
      const text = start + rest.map(([after, one]) => one + after).join("");
      fc.pre(text !== english && /\p{L}(?:.*\p{L}){5}/su.test(english.replaceAll(/\{\d+\}/g, " ")));
      const expected = rest.map(([, one]) => one).toReversed();
      expect(
        createTextTranslator({ [english]: chinese })
          .translate(text)
          .split("\u0000"),
      ).toEqual(expected);
    }),
  );
});

test("no text makes it fail", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", maxLength: 300 }), (text) => {
      expect(typeof translate(text)).toBe("string");
    }),
  );
});
