import { expect, test } from "vitest";
import { parsePromptArguments } from "./prompt-arguments.ts";

const ASKED = {
  name: "mcp__maps__route",
  arguments: [
    { name: "from", isRequired: true },
    { name: "to", isRequired: true },
    { name: "how", isRequired: false },
  ],
};

test.each([
  ["Bern Basel", { from: "Bern", to: "Basel" }],
  ['"New York" Basel by train', { from: "New York", to: "Basel", how: "by train" }],
  ["to=Basel Bern", { from: "Bern", to: "Basel" }],
  ["how='on foot' to=\"St. Gallen\" Bern", { from: "Bern", to: "St. Gallen", how: "on foot" }],
  ["a=b c", { from: "a=b", to: "c" }],
])("%j are arguments by name, and by position", (words, given) => {
  expect(parsePromptArguments(words, ASKED)).toEqual({ type: "given", given });
});

test("what is missing is named, with how to write it", () => {
  expect(parsePromptArguments("from=Bern", ASKED)).toEqual({
    type: "missing",
    text: "/mcp__maps__route needs to. Write /mcp__maps__route <from> <to> [how], or name=value for each.",
  });
  expect(parsePromptArguments("", { name: "x", arguments: [] })).toEqual({ type: "given", given: {} });
});
