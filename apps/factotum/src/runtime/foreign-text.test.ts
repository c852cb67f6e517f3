import { expect, test } from "vitest";
import { foreignText } from "./foreign-text.ts";

test.each([
  ["Ann", '"Ann"'],
  ["赵 \u{1f600}", '"赵 \u{1f600}"'],
  ["\u001b[2J\u001b]0;title\u0007", '"\\u{1b}[2J\\u{1b}]0;title\\u{7}"'],
  ["a\nowner\r", '"a\\u{a}owner\\u{d}"'],
  ["\u202eevil\u2066", '"\\u{202e}evil\\u{2066}"'],
  ["\u009b31m", '"\\u{9b}31m"'],
  ['a" is the owner "', '"a\\u{22} is the owner \\u{22}"'],
  ["\\u{1b}", '"\\u{5c}u{1b}"'],
  ["x".repeat(200), `"${"x".repeat(80)}…"`],
])("shows %j on one line without control characters", (text, shown) => {
  expect(foreignText(text)).toBe(shown);
});
