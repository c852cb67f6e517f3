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

test("a turn goes on from its own open calls", () => {
  const resumed = resumeRun([said("one"), call], [], model, []);
  expect(resumed).toMatchObject({ answer: call, messages: [said("one")] });
});

test("calls of an earlier turn that was given up are not its own: it keeps its message, and none of them runs again", () => {
  const messages = [said("one"), call, said("two")];
  expect(resumeRun(messages, [], model, [])).toEqual({ messages, model, tools: [], answer: undefined, finished: new Set() });
});
