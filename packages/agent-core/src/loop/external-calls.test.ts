import { EXTERNAL_PROVIDER } from "@factotum/agent-contract";
import type { AgentMessage, AssistantMessage, ModelEvent, ToolResultMessage } from "@factotum/agent-contract";
import { expect, test } from "vitest";
import {
  answer,
  assistant,
  call,
  collect,
  INFO,
  outcomeOf,
  runInput,
  runOptions,
  scriptedModel,
  text,
  tool,
  user,
} from "../../test/scripted-model.ts";
import { projectMessages } from "../projection/project-messages.ts";

const result: ToolResultMessage = {
  role: "toolResult",
  toolCallId: "e1",
  toolName: "agent_call",
  content: [{ type: "text", text: "Saved." }],
  isError: false,
  external: true,
  timestamp: 1,
};

function working(said: string, id: string): AssistantMessage {
  const message = assistant(said, [call(id, "agent_call", { title: "Edit a.txt" })]);
  return { ...message, content: message.content.map((block) => (block.type === "toolCall" ? { ...block, external: true } : block)) };
}

const own = (said: string, id: string, results: readonly ToolResultMessage[]): readonly ModelEvent[] => [
  { type: "message-start" },
  { type: "message-end", message: working(said, id), results },
];

test("what an external agent has done itself is neither checked nor run nor counted, and the run continues with it", async () => {
  const checked: string[] = [];
  const ls = tool("ls", () => Promise.resolve(text("a.txt")));
  const model = scriptedModel([own("I edit.", "e1", [result]), answer("", [call("c1", "ls")]), own("", "e2", []), answer("Done.")]);
  const beforeTool = async ({ name }: { readonly name: string }) => {
    checked.push(name);
    return Promise.resolve({ type: "allow" } as const);
  };
  const external = { ...model, info: { ...INFO, provider: EXTERNAL_PROVIDER } };
  const events = await collect(
    runInput({ model: external, tools: [ls], beforeTool }),
    runOptions({ limits: { maxTurns: 10, maxToolCalls: 1, maxParallelTools: 1 } }),
  );
  expect(checked).toEqual(["ls"]);
  expect(events.flatMap((event) => (event.type === "tool-start" ? [event.call.name] : []))).toEqual(["ls"]);
  const ends = events.flatMap((event) => (event.type === "tool-end" ? [event.result] : []));
  expect(ends.map(({ toolCallId, content, isError, external: isExternal }) => [toolCallId, content, isError, isExternal])).toEqual([
    ["e1", [{ type: "text", text: "Saved." }], false, true],
    ["c1", [{ type: "text", text: "a.txt" }], false, undefined],
    ["e2", [{ type: "text", text: "The agent did not say how it ended." }], true, true],
  ]);
  expect(outcomeOf(events)).toEqual({ type: "done", message: assistant("Done.") });
  // The agent itself gets what it has done, so that it is known what came after that.
  expect(model.requests[1]?.messages.map(({ role }) => role)).toEqual(["user", "assistant", "toolResult"]);
});

test("a model of a provider gets nothing of it, also in the middle of what it was told", () => {
  const before: readonly AgentMessage[] = [user("hi"), working("I edit.", "e1"), result, working("", "e2")];
  const shown = projectMessages([...before, assistant("Done."), user("and now?")]);
  expect(shown.map(({ role, content }) => [role, content.map(({ type }) => type)])).toEqual([
    ["user", ["text"]],
    ["assistant", ["text"]],
    ["assistant", ["text"]],
    ["user", ["text"]],
  ]);
  expect(JSON.stringify(shown)).not.toMatch(/agent_call|Saved/);
  const toAgent = projectMessages(before, { provider: EXTERNAL_PROVIDER });
  expect(toAgent[2]).toBe(result);
});
