import type { AssistantMessage, JsonObject, JsonValue, ModelClient, ModelEvent, ToolCallContent } from "@factotum/agent-contract";

/** The tool through which a model calls tools that are not in its request: `{ name, arguments }`. */
export const TOOL_CALL = "tool_call";

/**
 * A client whose answers call deferred tools by their own name: `tool_call` with the name of one of them becomes a call of that tool, marked `deferred`. So
 * policy, approvals, results and the transcript are those of the real tool. Calls with an unknown name or other parameters stay as they are, for `tool_call`
 * itself to answer.
 */
export function unwrapDeferredCalls(client: ModelClient, isTool: (name: string) => boolean): ModelClient {
  return {
    info: client.info,
    stream: async function* (request, options): AsyncGenerator<ModelEvent, void, undefined> {
      for await (const event of client.stream(request, options))
        yield event.type === "message-end" ? { ...event, message: unwrapCalls(event.message, isTool) } : event;
    },
  };
}

function unwrapCalls(message: AssistantMessage, isTool: (name: string) => boolean): AssistantMessage {
  if (!message.content.some((block) => block.type === "toolCall" && block.name === TOOL_CALL)) return message;
  return { ...message, content: message.content.map((block) => (block.type === "toolCall" ? unwrapCall(block, isTool) : block)) };
}

function unwrapCall(block: ToolCallContent, isTool: (name: string) => boolean): ToolCallContent {
  if (block.name !== TOOL_CALL || block.unreadable !== undefined) return block;
  const { name, arguments: given = {}, ...others } = block.arguments;
  const parsed = parseDeferredArguments(given);
  if (typeof name !== "string" || !isTool(name) || parsed === undefined || Object.keys(others).length > 0) return block;
  return { ...block, name, arguments: parsed, deferred: true };
}

/** The arguments of the real tool; `undefined` if they are no object. Small models write the object as a string, or leave an empty one out. */
export function parseDeferredArguments(given: JsonValue | undefined): JsonObject | undefined {
  if (given === null || given === undefined) return {};
  if (typeof given === "string") return parseObject(given);
  return isObject(given) ? given : undefined;
}

/** The call as the model wrote it. */
export function asSent(block: ToolCallContent): ToolCallContent {
  if (block.deferred !== true) return block;
  const { deferred: _, ...call } = block;
  return { ...call, name: TOOL_CALL, arguments: { name: call.name, arguments: call.arguments } };
}

function parseObject(text: string): JsonObject | undefined {
  try {
    const value = JSON.parse(text) as JsonValue;
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
