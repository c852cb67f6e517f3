import { withoutUndefined } from "@factotum/agent-contract";
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

test("an answer is shown with its thoughts, if it has any", () => {
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

test("a stopped call is distinguished from a failed one", () => {
  const result = (details?: { readonly stopped: boolean }): unknown =>
    toChatEntry({
      id: "e1",
      sessionId: "s1",
      timestampMs: 1,
      type: "message",
      message: {
        role: "toolResult",
        toolCallId: "c1",
        toolName: "exec",
        content: [{ type: "text", text: "x" }],
        isError: true,
        timestamp: 1,
        ...withoutUndefined({ details }),
      },
    });
  expect(result({ stopped: true })).toMatchObject({ isError: true, isStopped: true });
  expect(result({ stopped: false })).not.toHaveProperty("isStopped");
  expect(result()).not.toHaveProperty("isStopped");
});
