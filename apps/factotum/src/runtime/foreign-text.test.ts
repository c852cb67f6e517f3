import { expect, test } from "vitest";
import { foreignText, terminalText } from "./foreign-text.ts";

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

test.each([
  ["two\n\tlines\r\nthree", "two\n\tlines\r\nthree"],
  ['赵 👨‍👩‍👧 "quoted" C:\\x', '赵 👨‍👩‍👧 "quoted" C:\\x'],
  ["\u001b]52;c;cHdu\u0007\u009b31m", "\\u{1b}]52;c;cHdu\\u{7}\\u{9b}31m"],
  ["hidden\rshown", "hidden\\u{d}shown"],
  ["\u202eevil\u2066\u0000", "\\u{202e}evil\\u{2066}\\u{0}"],
])("keeps the lines of %j and escapes what controls the terminal", (text, shown) => {
  expect(terminalText(text)).toBe(shown);
});
