import { expect, test } from "vitest";
import { parseShellText } from "./shell-text.ts";

test.each([
  ["ls -la", ["ls", "-la"]],
  ["git log -- 'a b' \"c d\"", ["git", "log", "--", "a b", "c d"]],
  ["ls \\\n -b # comment", ["ls", "-b"]],
  ["l's' a=b", ["ls", "a=b"]],
  ["find . -name \\*.ts", ["find", ".", "-name", "*.ts"]],
  ["echo $'a\\nb'", ["echo", "a\nb"]],
])("%j runs without a shell", async (text, argv) => {
  expect(await parseShellText(text)).toEqual({ type: "argv", argv });
});

test.each([
  ["a; b", [["a"], ["b"]]],
  ["a && b || c", [["a"], ["b"], ["c"]]],
  ["a | b", [["a"], ["b"]]],
  ["a &", [["a"]]],
  ["a > file", [["a"]]],
  ["X=1 a", [["a"]]],
  ["! a", [["a"]]],
  ["a *.md", [["a", ""]]],
  ["a ~/x", [["a", ""]]],
  ["a {b,c}", [["a", ""]]],
  ["a $HOME", [["a", ""]]],
  [
    'a "$(b c)"',
    [
      ["a", ""],
      ["b", "c"],
    ],
  ],
  ["a <(b)", [["a", ""], ["b"]]],
  ["if a; then b; fi", [["a"], ["b"]]],
  ["cat <<E\n$(a)\nE", [["cat"], ["a"]]],
  ["a\nb", [["a"], ["b"]]],
])("%j needs a shell, and its commands are known", async (text, commands) => {
  expect(await parseShellText(text)).toMatchObject({ type: "script", commands });
});

test.each(["$x", "$(a)", '"$a" b', "if", "a 'b", "a $(", "*"])("%j: what it runs is unknown", async (text) => {
  expect(await parseShellText(text)).toEqual({ type: "unknown" });
});

test("knows the files that are redirected to standard input, and which it cannot know", async () => {
  expect(await parseShellText("a < b; c <> d 2> e; f < $g")).toMatchObject({ inputs: ["b", "d", undefined] });
});
