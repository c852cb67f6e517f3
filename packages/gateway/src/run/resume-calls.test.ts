import type { AgentMessage, ModelClient } from "@factotum/agent-contract";
import { NO_USAGE } from "@factotum/agent-contract";
import { expect, test } from "vitest";
import { resumeRun } from "./resume-calls.ts";

const model: ModelClient = {
  info: {
    provider: "demo",
    id: "demo",
    api: "anthropic-messages",
    contextWindow: 1_000,
    maxOutput: 100,
    input: ["text"],
    tools: "native",
    reasoning: false,
    known: true,
  },
  stream: () => {
    throw new Error("nothing is asked here");
  },
};
const call: AgentMessage = {
  role: "assistant",
  content: [{ type: "toolCall", id: "call-1", name: "exec", arguments: {} }],
  api: "demo",
  provider: "demo",
  model: "demo",
  usage: NO_USAGE,
  stopReason: "toolUse",
  timestamp: 2,
};
const said = (text: string): AgentMessage => ({ role: "user", content: [{ type: "text", text }], timestamp: 1 });

test("a resumed turn continues from its own open calls", () => {
  const resumed = resumeRun([said("one"), call], [], model);
  expect(resumed).toMatchObject({ answer: call, messages: [said("one")] });
});

test("open calls of an earlier, given-up turn do not belong to it: the turn keeps its message, and none of them runs again", () => {
  const messages = [said("one"), call, said("two")];
  expect(resumeRun(messages, [], model)).toEqual({ messages, model, knownResults: new Map(), answer: undefined, finished: new Set() });
});

test("a call that was started counts as possibly executed, even if its tool is gone; a stored result keeps its mark", () => {
  const result: AgentMessage = {
    role: "toolResult",
    toolCallId: "call-1",
    toolName: "exec",
    content: [{ type: "text", text: "done" }],
    isError: false,
    tainted: true,
    timestamp: 3,
  };
  const row = { turnId: "t1", callId: "call-1", name: "exec", state: "started" } as const;
  const unknown = resumeRun([said("one"), call], [row], model).knownResults.get("call-1");
  expect(unknown).toMatchObject({ isError: true, content: [{ text: expect.stringContaining("not known whether it finished") as string }] });
  const two: AgentMessage = { ...call, content: [...call.content, { type: "toolCall", id: "call-2", name: "exec", arguments: {} }] };
  const resumed = resumeRun([said("one"), two, result], [{ ...row, state: "finished" }], model);
  expect(resumed.knownResults.get("call-1")).toEqual({ content: result.content, isError: false, tainted: true });
  expect(resumed.knownResults.has("call-2")).toBe(false);
});
