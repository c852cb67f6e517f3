import { NO_USAGE } from "@factotum/agent-contract";
import type { AgentMessage, AssistantMessage } from "@factotum/agent-contract";
import { expect, test } from "vitest";
import { openCalls } from "./open-calls.ts";

const said = (text: string): AgentMessage => ({ role: "user", content: [{ type: "text", text }], timestamp: 1 });
const answer = (ids: readonly string[], stopReason: AssistantMessage["stopReason"]): AgentMessage => ({
  role: "assistant",
  content: ids.map((id) => ({ type: "toolCall", id, name: "ls", arguments: {} })),
  api: "demo",
  provider: "demo",
  model: "demo",
  usage: NO_USAGE,
  stopReason,
  timestamp: 2,
});
const asks = (...ids: readonly string[]): AgentMessage => answer(ids, "toolUse");
const result = (id: string): AgentMessage => ({
  role: "toolResult",
  toolCallId: id,
  toolName: "ls",
  content: [{ type: "text", text: `result of ${id}` }],
  isError: false,
  timestamp: 3,
});

test.each<[string, readonly AgentMessage[], readonly string[]]>([
  ["no history", [], []],
  ["a history that ends with an answer", [said("hi"), asks("a"), result("a"), answer([], "stop")], []],
  ["an answer whose calls all have results", [said("hi"), asks("a"), result("a")], []],
  ["an answer that was cut off", [said("hi"), asks("a", "b", "c"), result("b")], ["a", "c"]],
  ["an answer with later messages", [said("hi"), asks("a"), said("well?")], ["a"]],
  ["calls whose id an earlier answer used", [said("hi"), asks("a"), result("a"), asks("a")], ["a"]],
  ["calls with equal ids", [said("hi"), asks("a", "a"), result("a")], ["a"]],
  ["an answer that was given up", [said("hi"), answer(["a"], "error")], []],
])("finds the open calls of %s", (_, history, expected) => {
  expect(openCalls(history).map(({ id }) => id)).toEqual(expected);
});
