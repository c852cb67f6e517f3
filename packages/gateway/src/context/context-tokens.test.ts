import { NO_USAGE } from "@factotum/agent-contract";
import type { AgentMessage, Usage } from "@factotum/agent-contract";
import { estimateTokens } from "@factotum/agent-core";
import { expect, test } from "vitest";
import { estimateContextTokens } from "./context-tokens.ts";

const said = (text: string): AgentMessage => ({ role: "user", content: [{ type: "text", text }], timestamp: 1 });
const answered = (usage: Usage): AgentMessage => ({
  role: "assistant",
  content: [{ type: "text", text: "Yes." }],
  api: "demo",
  provider: "demo",
  model: "demo",
  usage,
  stopReason: "stop",
  timestamp: 2,
});
const COUNTED: Usage = { input: 100, output: 50, cacheRead: 800, cacheWrite: 50, total: 1_000 };
const MESSAGES = [said("hi"), answered(COUNTED), said("x".repeat(400)), said("more")];

test("uses the provider's figure and estimates only later messages", () => {
  expect(estimateContextTokens(MESSAGES, { overheadTokens: 9_999 })).toBe(1_000 + estimateTokens(MESSAGES.slice(2)));
});

test("estimates everything if no figure is valid", () => {
  expect(estimateContextTokens(MESSAGES, { overheadTokens: 500, usageFrom: 2 })).toBe(500 + estimateTokens(MESSAGES));
  const uncounted = [said("hi"), answered(NO_USAGE)];
  expect(estimateContextTokens(uncounted, { overheadTokens: 7 })).toBe(7 + estimateTokens(uncounted));
});
