import type { AssistantMessage } from "@factotum/agent-contract";
import { expect, test } from "vitest";
import { toChatEntry } from "./chat-entries.ts";

const answer = (content: AssistantMessage["content"]): AssistantMessage => ({
  role: "assistant",
  content,
  api: "anthropic",
  provider: "anthropic",
  model: "some-model",
  stopReason: "stop",
  usage: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, total: 2 },
  timestamp: 1,
});

const shown = (content: AssistantMessage["content"]): unknown =>
  toChatEntry({ id: "e1", sessionId: "s1", timestampMs: 1, type: "message", message: answer(content) });

test("an answer is shown with its thoughts where it has any", () => {
  expect(shown([{ type: "text", text: "Yes." }])).toEqual({
    type: "assistant",
    id: "e1",
    timestampMs: 1,
    text: "Yes.",
    toolCalls: [],
    model: "anthropic/some-model",
    stopReason: "stop",
  });
  expect(
    shown([
      { type: "thinking", text: "Is it so?" },
      { type: "text", text: "Yes." },
    ]),
  ).toMatchObject({ text: "Yes.", thinking: "Is it so?" });
});
