import {
  ModelError,
  type AgentEvent,
  type AgentTool,
  type AgentToolResult,
  type AssistantMessage,
  type JsonObject,
  type ModelClient,
  type ModelEvent,
  type ModelInfo,
  type ModelRequest,
  type RunFacts,
  type ToolCall,
  type ToolOptions,
  type ToolTraits,
  type UserMessage,
} from "@factotum/agent-contract";
import { runAgent } from "../src/index.ts";
import type { RunAgentInput, RunAgentOptions } from "../src/loop/run-input.ts";

export const INFO: ModelInfo = {
  provider: "test",
  id: "model-1",
  api: "anthropic-messages",
  contextWindow: 200_000,
  maxOutput: 8_000,
  input: ["text"],
  tools: "native",
  reasoning: false,
  known: true,
};

export const FACTS: RunFacts = {
  runId: "run-1",
  kind: "user",
  agentId: "main",
  sessionKey: "agent:main:main",
  sessionId: "session-1",
  workspace: "/home/someone/workspace",
  owner: true,
  timeZone: "UTC",
};

/** The model's events for one request, or a function from the request to them. */
export type Reply = readonly ModelEvent[] | ((request: ModelRequest, signal: AbortSignal) => AsyncIterable<ModelEvent>);

/** A model that answers request n with reply n, and records the requests. */
export function scriptedModel(replies: readonly Reply[]): ModelClient & { readonly requests: ModelRequest[] } {
  const requests: ModelRequest[] = [];
  return {
    info: INFO,
    requests,
    async *stream(request, { signal }) {
      const reply = replies[requests.length];
      requests.push(request);
      if (reply === undefined) throw new Error("the script has ended");
      yield* typeof reply === "function" ? reply(request, signal) : reply;
    },
  };
}

export function call(id: string, name: string, args: JsonObject = {}): ToolCall {
  return { id, name, arguments: args };
}

export function assistant(
  text: string,
  calls: readonly ToolCall[] = [],
  stopReason: AssistantMessage["stopReason"] = calls.length > 0 ? "toolUse" : "stop",
): AssistantMessage {
  return {
    role: "assistant",
    content: [...(text === "" ? [] : [{ type: "text", text } as const]), ...calls.map((one) => ({ type: "toolCall", ...one }) as const)],
    api: INFO.api,
    provider: INFO.provider,
    model: INFO.id,
    usage: { input: 10, output: 5, cacheRead: 0, cacheWrite: 0, total: 15 },
    stopReason,
    timestamp: 1_000,
  };
}

/** The events of one complete answer, with its text in two pieces. */
export function answer(text: string, calls: readonly ToolCall[] = [], stopReason?: AssistantMessage["stopReason"]): readonly ModelEvent[] {
  const half = Math.ceil(text.length / 2);
  const shown: readonly ModelEvent[] =
    text === ""
      ? []
      : [
          { type: "text-start", index: 0 },
          { type: "text-delta", index: 0, text: text.slice(0, half) },
          { type: "text-delta", index: 0, text: text.slice(half) },
          { type: "text-end", index: 0, text },
        ];
  return [{ type: "message-start" }, ...shown, { type: "message-end", message: assistant(text, calls, stopReason) }];
}

export function failure(code: ModelError["code"], message: string): ModelEvent {
  return { type: "message-failed", error: new ModelError(code, message, { retry: { type: "never" } }) };
}

export function user(text: string): UserMessage {
  return { role: "user", content: [{ type: "text", text }], timestamp: 900 };
}

export function text(value: string): AgentToolResult {
  return { content: [{ type: "text", text: value }] };
}

export function tool(
  name: string,
  execute: (call: ToolCall, options: ToolOptions) => Promise<AgentToolResult>,
  traits: Partial<ToolTraits> = {},
): AgentTool {
  return {
    name,
    summary: `${name} something`,
    description: `${name} something`,
    parameters: { type: "object" },
    traits: { effect: "read", idempotent: true, output: "trusted", network: false, parallel: false, ...traits },
    execute,
  };
}

/** Input with defaults for what most tests ignore. */
export function runInput(parts: Partial<RunAgentInput> & Pick<RunAgentInput, "model">): RunAgentInput {
  return {
    facts: FACTS,
    system: { stable: "stable", session: "session" },
    messages: [],
    prompt: user("hello"),
    tools: [],
    steering: { take: () => Promise.resolve([]) },
    beforeTool: () => Promise.resolve({ type: "allow" }),
    settings: {},
    tainted: false,
    now: () => 5_000,
    ...parts,
  };
}

export function runOptions(parts: Partial<RunAgentOptions> = {}): RunAgentOptions {
  return {
    signal: new AbortController().signal,
    limits: { maxTurns: 20, maxToolCalls: 100, maxParallelTools: 4 },
    maxToolResultChars: 16_000,
    ...parts,
  };
}

/** Runs to the end; `onEvent` may act between the events, as a consumer does. */
export async function collect(
  input: RunAgentInput,
  options: RunAgentOptions = runOptions(),
  onEvent: (event: AgentEvent) => void | Promise<void> = () => undefined,
): Promise<AgentEvent[]> {
  const events: AgentEvent[] = [];
  for await (const event of runAgent(input, options)) {
    events.push(event);
    await onEvent(event);
  }
  return events;
}

/** The outcome of the one `run-end`. */
export function outcomeOf(events: readonly AgentEvent[]): Extract<AgentEvent, { type: "run-end" }>["outcome"] {
  const last = events.at(-1);
  if (last?.type !== "run-end") throw new Error(`the run ended with ${last?.type ?? "nothing"}`);
  return last.outcome;
}

/** Texts of the results, by call id. */
export function resultsOf(events: readonly AgentEvent[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    events.flatMap((event) =>
      event.type === "tool-end"
        ? [[event.call.id, event.result.content.map((part) => (part.type === "text" ? part.text : "[image]")).join("\n")]]
        : [],
    ),
  );
}
