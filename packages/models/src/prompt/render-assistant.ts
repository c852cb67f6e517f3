import type { JSONObject, LanguageModelV4Message, SharedV4ProviderOptions } from "@ai-sdk/provider";
import type { AssistantMessage, JsonObject, ThinkingContent, ToolCallContent } from "@factotum/agent-contract";
import { cleanJson } from "./clean-text.ts";
import type { RenderContext } from "./render-context.ts";

type AssistantPart = Extract<LanguageModelV4Message, { role: "assistant" }>["content"][number];

/**
 * A model's answer as it is sent in later requests. Blank text is dropped; thinking goes only to the model that thought it, and only from a complete answer.
 * `undefined` if only thinking is left: a lone thought is refused everywhere.
 */
export function renderAssistant(message: AssistantMessage, context: RenderContext): LanguageModelV4Message | undefined {
  const own = isOwn(message, context);
  const complete = message.stopReason !== "aborted" && message.stopReason !== "error";
  const callsTools = message.content.some((part) => part.type === "toolCall");
  const content = message.content.flatMap((part): AssistantPart[] => {
    if (part.type === "text") return part.text.trim() === "" ? [] : [{ type: "text", text: context.clean(part.text) }];
    if (part.type === "toolCall") return [renderToolCall(part, own, context)];
    return own && complete ? renderThinking(part, callsTools, context) : [];
  });
  return content.some((part) => part.type !== "reasoning") ? { role: "assistant", content } : undefined;
}

function isOwn(message: AssistantMessage, { info }: RenderContext): boolean {
  return message.provider === info.provider && message.model === info.id && message.api === info.api;
}

function renderThinking(part: ThinkingContent, callsTools: boolean, context: RenderContext): AssistantPart[] {
  if (part.signature !== undefined) {
    // A signed thought cannot be changed: one that must not reach the vendor is dropped as a whole.
    if (context.clean(part.text) !== part.text) return [];
    return [{ type: "reasoning", text: part.text, providerOptions: toProviderOptions(part.signature) }];
  }
  if (!context.rules.replaysUnsignedThinking || !callsTools || part.text === "") return [];
  return [{ type: "reasoning", text: context.clean(part.text) }];
}

function renderToolCall(call: ToolCallContent, own: boolean, context: RenderContext): AssistantPart {
  const input = cleanJson(call.arguments, context.clean);
  const name = cleanName(call.name, context);
  if (!context.hasTools) return { type: "text", text: `[called the tool ${name} with ${JSON.stringify(input)}]` };
  const part: AssistantPart = { type: "tool-call", toolCallId: context.callId(call.id), toolName: name, input };
  return own && call.providerData !== undefined ? { ...part, providerOptions: toProviderOptions(call.providerData) } : part;
}

/** Names that every provider accepts: models invent names, and one provider's valid name is invalid for another. */
export function cleanName(name: string, { clean, hasTools }: Pick<RenderContext, "clean" | "hasTools">): string {
  const cleaned = clean(name);
  return hasTools ? cleaned.replaceAll(/[^a-zA-Z0-9_-]/g, "_").slice(0, 64) || "_" : cleaned;
}

/** A provider's metadata is returned unchanged: an object of objects, as the stream reader stored it. */
function toProviderOptions(data: JsonObject): SharedV4ProviderOptions {
  const entries = Object.entries(data).filter((entry): entry is [string, JSONObject] => {
    const value = entry[1];
    return typeof value === "object" && value !== null && !Array.isArray(value);
  });
  return Object.fromEntries(entries);
}
