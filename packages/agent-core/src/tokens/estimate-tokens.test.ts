import { expect, test } from "vitest";
import { IMAGE } from "../../test/histories.ts";
import { assistant, call, user } from "../../test/scripted-model.ts";
import { estimateMessageTokens, estimateTokens, IMAGE_TOKENS } from "./estimate-tokens.ts";

test.each([
  ["", 0],
  ["abc", 1],
  ["abcde", 2],
  ["汉字", 2],
  ["a汉", 2],
  ["😀", 2],
])("estimates %i tokens for %j", (text, tokens) => {
  expect(estimateTokens(text)).toBe(tokens);
});

test("includes a message's images and the arguments of its calls", () => {
  expect(estimateMessageTokens({ ...user("x"), content: [IMAGE] }) - estimateMessageTokens({ ...user("x"), content: [] })).toBe(
    IMAGE_TOKENS,
  );
  const long = assistant("", [call("a", "ls", { path: "x".repeat(4_000) })]);
  expect(estimateMessageTokens(long)).toBeGreaterThan(1_000);
  expect(estimateTokens([user("x"), long])).toBe(estimateMessageTokens(user("x")) + estimateMessageTokens(long));
});

test("leaves out what an external agent has done itself", () => {
  const said = assistant("I edit.", []);
  const done = call("a", "agent_call", { title: "x".repeat(4_000) });
  const working = { ...said, content: [...said.content, { type: "toolCall" as const, ...done, external: true as const }] };
  const result = {
    role: "toolResult",
    toolCallId: "a",
    toolName: "agent_call",
    content: [],
    isError: false,
    external: true,
    timestamp: 0,
  } as const;
  expect(estimateTokens([working, result])).toBe(estimateMessageTokens(said));
});
