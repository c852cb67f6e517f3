import { expect, test } from "vitest";
import { findCommands } from "./use-commands.ts";

const commands = ["Chat", "New chat", "Context", "设置"].map((label) => ({ label }));

test.each([
  ["", ["Chat", "New chat", "Context", "设置"]],
  [" CHAT new", ["New chat"]],
  ["c t", ["Chat", "New chat", "Context"]],
  ["设", ["设置"]],
  ["nothing", []],
])("%j finds %j", (query, labels) => {
  expect(findCommands(commands, query).map(({ label }) => label)).toEqual(labels);
});
