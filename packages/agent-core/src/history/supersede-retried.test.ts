import { withoutUndefined } from "@factotum/agent-contract";
import type { AgentMessage, UserMessage } from "@factotum/agent-contract";
import { expect, test } from "vitest";
import { SENT_AGAIN, supersedeRetried } from "./supersede-retried.ts";
import { viewHistory } from "./view-history.ts";

const user = (text: string, eventId: string, retryOf?: string): UserMessage => ({
  role: "user",
  content: [{ type: "text", text }],
  parts: { body: text, systemEvents: [], source: { channel: "c", eventId, ...withoutUndefined({ retryOf }) } },
  timestamp: 0,
});
const answer: AgentMessage = {
  role: "assistant",
  content: [{ type: "text", text: "half" }],
  api: "a",
  provider: "p",
  model: "m",
  usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
  stopReason: "error",
  timestamp: 0,
};
const texts = (messages: readonly AgentMessage[]): readonly string[] =>
  messages.map(({ content }) => content.map((block) => (block.type === "text" ? block.text : block.type)).join(""));

test("leaves the text of the last attempt, and what the failed turns have done", () => {
  const history = [user("x", "0"), user("a", "1"), answer, user("a", "1~2", "1"), user("b", "2")];
  expect(texts(supersedeRetried(history, undefined).messages)).toEqual(["x", SENT_AGAIN, "half", "a", "b"]);
  const now = supersedeRetried(history, user("a", "1~3", "1"));
  expect(texts(now.messages)).toEqual(["x", SENT_AGAIN, "half", SENT_AGAIN, "b"]);
  expect(now.isChanged).toBe(true);
  // Later requests show the same.
  expect(texts(supersedeRetried([...history, user("a", "1~3", "1")], user("c", "3")).messages)).toEqual([...texts(now.messages), "a"]);
});

test("changes nothing without a retry, or if the failed message is not there any more", () => {
  const history = [user("a", "1"), answer, user("a", "2")];
  expect(supersedeRetried(history, user("a", "3")).messages).toBe(history);
  expect(supersedeRetried(history, user("z", "9~2", "9"))).toEqual({ messages: history, isChanged: false });
});

test("is a named break of the history view", () => {
  const options = { settledBeforeMs: 0, contextWindow: 1000, prunes: false, historyLimit: undefined };
  const view = viewHistory([user("a", "1")], user("a", "1~2", "1"), options);
  expect(texts(view.messages)).toEqual([SENT_AGAIN]);
  expect(view.breaks).toEqual(["retry"]);
  expect(viewHistory([user("a", "1"), user("a", "1~2", "1")], user("b", "2"), options).breaks).toEqual([]);
});
