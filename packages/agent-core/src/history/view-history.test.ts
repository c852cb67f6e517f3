import type { AgentMessage, UserMessage } from "@factotum/agent-contract";
import { NO_USAGE } from "@factotum/agent-contract";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { viewHistory } from "./view-history.ts";
import type { HistoryView, HistoryViewOptions } from "./view-history.ts";

const options: HistoryViewOptions = { settledBeforeMs: 0, contextWindow: 200_000, prunes: true, historyLimit: undefined };
const user = (timestamp: number, body: string): UserMessage => ({
  role: "user",
  content: [
    {
      type: "text",
      text: `Inbound context (trusted):\n{"schema":"factotum.inbound_meta.v1","delimiter":"0123456789ab","message_id":"m${timestamp}","run":"user"}\n[0123456789ab Conversation info (untrusted)]\n{"chat_id":"c"}\n[/0123456789ab]\n${body}`,
    },
  ],
  parts: { body, sender: { id: "u1", name: "Olga", owner: true }, systemEvents: [] },
  timestamp,
});
const answer = (timestamp: number): AgentMessage => ({
  role: "assistant",
  content: [{ type: "text", text: "Yes." }],
  api: "demo",
  provider: "demo",
  model: "demo",
  usage: NO_USAGE,
  stopReason: "stop",
  timestamp,
});
const conversation = (turns: number): AgentMessage[] =>
  Array.from({ length: turns }, (_, turn) => [user(turn * 10, `message ${turn}`), answer(turn * 10 + 5)]).flat();

describe("the view of a history", () => {
  test("shows everything as sent without a cause", () => {
    const messages = conversation(5);
    expect(viewHistory(messages, user(100, "now"), options)).toEqual({ messages, breaks: [] });
  });

  test("prunes tool results older than the last cause in a full window, permanently", () => {
    const settled = { ...options, settledBeforeMs: 50, contextWindow: 20_000 };
    const result = (timestamp: number): AgentMessage => ({
      role: "toolResult",
      toolCallId: `c${timestamp}`,
      toolName: "read",
      content: [{ type: "text", text: "x".repeat(12_000) }],
      isError: false,
      timestamp,
    });
    const messages = conversation(8).flatMap((message) => (message.role === "user" ? [message, result(message.timestamp + 1)] : [message]));
    const { messages: first } = viewHistory(messages, user(100, "now"), settled);
    const sizes = first.flatMap(({ role, content }) => (role === "toolResult" ? [JSON.stringify(content).length > 10_000] : []));
    expect(sizes.slice(0, 2)).toEqual([false, false]);
    expect(sizes.slice(5)).toEqual([true, true, true]);
    const { messages: later } = viewHistory([...messages, user(100, "now"), answer(105)], user(110, "later"), settled);
    expect(later.slice(0, first.length)).toEqual(first);
    expect(viewHistory(messages, user(100, "now"), { ...settled, prunes: false }).messages).toEqual(messages);
  });

  test("cuts to half of the limit at once, reports it, and keeps that cut for some turns", () => {
    const limited = { ...options, historyLimit: 4 };
    const starts = Array.from({ length: 12 }, (_, turns) => {
      const { messages, breaks } = viewHistory(conversation(turns), user(1000, "now"), limited);
      return { turns, first: messages[0]?.timestamp, cut: breaks.includes("history-limit") };
    });
    expect(starts.filter(({ cut }) => cut).map(({ turns }) => turns)).toEqual([4, 7, 10]);
    for (const [index, { first, cut }] of starts.entries()) if (index > 1 && !cut) expect(first).toBe(starts[index - 1]?.first);
  });

  test("shifts neither images nor the limit for a quiet run", () => {
    const image = { type: "image", mimeType: "image/png", data: "aGVsbG8=" } as const;
    const messages = conversation(4).map((message) =>
      message.timestamp === 10 && message.role === "user" ? { ...message, content: [...message.content, image] } : message,
    );
    const plain = user(100, "Anything to do?");
    for (const historyLimit of [undefined, 4]) {
      const before = viewHistory(messages.slice(0, -2), user(30, "message 3"), { ...options, historyLimit });
      for (const run of ["heartbeat", "memory"] as const) {
        const poll: UserMessage = { ...plain, parts: { body: "Anything to do?", systemEvents: [], run } };
        const open = viewHistory(messages, poll, { ...options, historyLimit });
        expect(open.messages.slice(0, before.messages.length)).toEqual(before.messages);
        expect(open.breaks).toEqual([]);
        expect(viewHistory([...messages, poll], undefined, { ...options, historyLimit }).messages).toEqual([...open.messages, poll]);
      }
    }
    expect(viewHistory(messages, plain, options).breaks).toEqual(["images-dropped"]);
  });

  test("keeps the view of n turns a prefix of that of n + 1 between causes and breaks", () => {
    fc.assert(
      fc.property(
        fc.nat(20),
        fc.nat(300),
        fc.option(fc.integer({ min: 1, max: 6 }), { nil: undefined }),
        (turns, settledBeforeMs, historyLimit) => {
          const view = (count: number): HistoryView =>
            viewHistory(conversation(count), user(count * 10, `message ${count}`), {
              ...options,
              settledBeforeMs: Math.min(settledBeforeMs, turns * 10),
              historyLimit,
            });
          const before = view(turns);
          const after = view(turns + 1);
          if (after.breaks.length === 0) expect(after.messages.slice(0, before.messages.length)).toEqual(before.messages);
        },
      ),
    );
  });
});
