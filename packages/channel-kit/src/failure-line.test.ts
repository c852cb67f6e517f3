import { expect, test } from "vitest";
import { createErrorClassifier, failureLine } from "./index.ts";

/** As zod reports it: an extension brings its own. */
function refusal(...issues: readonly { readonly path: readonly (string | number)[]; readonly message: string }[]): Error {
  return new Error(
    JSON.stringify(
      issues.map((issue) => ({ code: "invalid_type", expected: "string", ...issue })),
      null,
      2,
    ),
  );
}

const ID = { path: ["users", 0, "id"], message: "Invalid input: expected string, received number" } as const;
const NAME = { path: ["users", 0, "name"], message: "Invalid input: expected string, received undefined" } as const;

test("an error of a validator is one line with its place and what to do", () => {
  const line = failureLine(refusal(ID, NAME));
  expect(line).toContain(
    "the platform's answer has an unexpected form (users.0.id: Invalid input: expected string, received number, and 1 more)",
  );
  expect(line).toContain("check the address");
  expect(line).not.toMatch(/[\n{]/);
});

test("a text that contains such an error keeps its own words", () => {
  const line = failureLine(
    `messages are refused until the bot is known: ${refusal({ path: [], message: "Invalid input: expected object, received string" }).message}`,
  );
  expect(line).toMatch(/^messages are refused until the bot is known: the platform's answer has an unexpected form \(Invalid input: /);
});

test.each([
  ["one\n  two", "one two"],
  ['[{"path": not json}]', '[{"path": not json}]'],
  ["x".repeat(2_000), `${"x".repeat(1_000)}…`],
])("%j becomes one line", (text, line) => {
  expect(failureLine(new Error(text))).toBe(line);
  expect(failureLine(text)).toBe(line);
});

test("a classifier shows a validator's error as one line", () => {
  const { toChannelError, toReceipt } = createErrorClassifier({ codes: {} });
  const error = refusal(NAME);
  expect(toChannelError(error)).toMatchObject({ message: failureLine(error), cause: error });
  expect(toReceipt(error)).toEqual({ type: "ambiguous", cause: failureLine(error) });
});
