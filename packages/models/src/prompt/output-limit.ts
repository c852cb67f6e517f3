import type { LanguageModelV4Prompt } from "@ai-sdk/provider";
import type { ModelInfo, ModelRequest } from "@factotum/agent-contract";
import { estimateTokens, IMAGE_TOKENS } from "../estimate-tokens.ts";

/** A smaller limit is useless; a prompt that leaves less is sent anyway and refused by the provider as too long. */
const LEAST_OUTPUT = 1_024;

/** Tolerance of the estimated prompt size. */
const SAFETY_FACTOR = 1.1;

/** Estimated tokens of a rendered prompt, without its tools; binary data counts per image, not per character. */
export function estimatePrompt(prompt: LanguageModelV4Prompt): number {
  let tokens = 0;
  for (const message of prompt) {
    if (typeof message.content === "string") tokens += estimateTokens(message.content);
    else for (const part of message.content) tokens += estimatePart(part);
  }
  return tokens;
}

function estimatePart(part: Exclude<LanguageModelV4Prompt[number]["content"], string>[number]): number {
  if (part.type === "file") return IMAGE_TOKENS;
  if (part.type === "text" || part.type === "reasoning") return estimateTokens(part.text);
  if (part.type === "tool-call") return estimateTokens(JSON.stringify(part.input));
  if (part.type !== "tool-result") return 0;
  if (part.output.type === "text" || part.output.type === "error-text") return estimateTokens(part.output.value);
  if (part.output.type !== "content") return 0;
  return part.output.value.reduce((sum, item) => sum + (item.type === "text" ? estimateTokens(item.text) : IMAGE_TOKENS), 0);
}

/**
 * The output limit in tokens: the requested one, at most the model's limit, and at most what the prompt leaves of the window (several providers refuse a
 * request whose prompt and limit together do not fit).
 */
export function outputLimit(request: ModelRequest, info: ModelInfo, promptTokens: number): number {
  const wanted = Math.min(request.maxOutputTokens ?? info.maxOutput, info.maxOutput);
  const room = Math.floor(info.contextWindow - promptTokens * SAFETY_FACTOR);
  return Math.max(Math.min(wanted, room), Math.min(wanted, LEAST_OUTPUT));
}
