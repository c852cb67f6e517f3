import { describe, expect, test } from "vitest";
import { fillArguments, parsePromptCommand } from "./prompt-command-text.ts";

describe("a message", () => {
  test.each([
    ["/weather", { name: "weather", isSkill: false, words: "" }],
    [" /Git_Review  the last\ncommit ", { name: "git-review", isSkill: false, words: "the last\ncommit" }],
    ["/skill git-review now", { name: "git-review", isSkill: true, words: "now" }],
    ["/skill Ünïcode", { name: "ünïcode", isSkill: true, words: "" }],
    ["/skill", { name: "skill", isSkill: false, words: "" }],
  ])("%j is a command", (text, parsed) => {
    expect(parsePromptCommand(text)).toEqual(parsed);
  });

  test.each(["weather", "a /weather", "/", "/usr/bin", "/a.b", `/${"n".repeat(65)}`, "/-x"])("%j is not", (text) => {
    expect(parsePromptCommand(text)).toBeUndefined();
  });
});

describe("arguments", () => {
  test.each([
    ["Say $ARGUMENTS!", "a  b", "Say a  b!"],
    ["From $1 to $2.", "here 'over there' rest", "From here to over there."],
    ['$2 $1 "$3"', 'one "two three"', 'two three one ""'],
    ["No place", "for this", "No place\n\nfor this"],
    ["No place", "", "No place"],
    ["Costs $10, $0 or $ARGUMENTSX", "x", "Costs $10, $0 or $ARGUMENTSX\n\nx"],
    ["$1", "$ARGUMENTS $1", "$ARGUMENTS"],
    ["$ARGUMENTS", "$& $1", "$& $1"],
  ])("%j with %j", (body, words, text) => {
    expect(fillArguments(body, words)).toBe(text);
  });
});
