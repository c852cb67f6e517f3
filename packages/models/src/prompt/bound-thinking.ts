import { createHash } from "node:crypto";
import type { LanguageModelV4FunctionTool, LanguageModelV4Message, LanguageModelV4Prompt } from "@ai-sdk/provider";
import type { AssistantMessage, JsonObject, ThinkingContent } from "@factotum/agent-contract";

/** Where a stored thought keeps its prefix digest, in addition to the provider's own proof. */
const KEY = "factotum";

/** The prompt without thoughts whose prefix has changed. */
export interface BoundPrompt {
  readonly prompt: LanguageModelV4Prompt;
  /** Binds the answer's thoughts to this prompt, so that a later request can check whether they may be sent. */
  readonly bind: (content: AssistantMessage["content"]) => AssistantMessage["content"];
}

/**
 * Drops the thoughts that a vendor would refuse: those whose prefix has changed since (tools, system prompt, an earlier message or thought), and those whose
 * prefix is unknown. Dropping a thought changes the prefix of later ones, so these are dropped, too. Pure.
 */
export function bindThinking(prompt: LanguageModelV4Prompt, tools: readonly LanguageModelV4FunctionTool[]): BoundPrompt {
  const { prompt: kept, prefix } = hasThoughts(prompt) ? dropChanged(prompt, tools) : { prompt, prefix: undefined };
  return {
    prompt: kept,
    bind: (content) => {
      if (!content.some(isSigned)) return content;
      const bound = prefix ?? kept.reduce(digestMessage, digestTools(tools));
      return content.map((block) => (isSigned(block) ? { ...block, signature: { ...block.signature, [KEY]: { prefix: bound } } } : block));
    },
  };
}

function dropChanged(
  prompt: LanguageModelV4Prompt,
  tools: readonly LanguageModelV4FunctionTool[],
): { readonly prompt: LanguageModelV4Prompt; readonly prefix: string } {
  let prefix = digestTools(tools);
  const kept = prompt.map((message) => {
    const sent = message.role === "assistant" ? withoutChanged(message, prefix) : message;
    prefix = digestMessage(prefix, sent);
    return sent;
  });
  return { prompt: kept, prefix };
}

function withoutChanged(message: Extract<LanguageModelV4Message, { role: "assistant" }>, prefix: string): LanguageModelV4Message {
  const content = message.content.flatMap((part): typeof message.content => {
    if (part.type !== "reasoning") return [part];
    const { [KEY]: binding, ...providerOptions } = part.providerOptions ?? {};
    return binding?.["prefix"] === prefix ? [{ ...part, providerOptions }] : [];
  });
  return { ...message, content };
}

function hasThoughts(prompt: LanguageModelV4Prompt): boolean {
  return prompt.some((message) => message.role === "assistant" && message.content.some(({ type }) => type === "reasoning"));
}

function isSigned(block: AssistantMessage["content"][number]): block is ThinkingContent & { readonly signature: JsonObject } {
  return block.type === "thinking" && block.signature !== undefined;
}

function digestTools(tools: readonly LanguageModelV4FunctionTool[]): string {
  return digest("", tools);
}

function digestMessage(prefix: string, message: LanguageModelV4Message): string {
  return digest(prefix, message);
}

function digest(prefix: string, value: unknown): string {
  return createHash("sha256").update(prefix).update(JSON.stringify(value)).digest("base64url").slice(0, 22);
}
