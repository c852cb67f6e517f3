import type { ModelApi } from "@factotum/agent-contract";
import { anthropic } from "./anthropic.ts";
import { google } from "./google.ts";
import { mistral } from "./mistral.ts";
import { compatibleChat, openaiChat } from "./openai-chat.ts";
import { openaiResponses } from "./openai-responses.ts";
import type { Wire } from "./wire.ts";

/** Every wire format, and both clients of the one that has two. */
export const WIRES: readonly Wire[] = [anthropic, openaiResponses, openaiChat, compatibleChat, google, mistral];

/** The wire formats by the names of their strict servers, with models that those servers know. */
export const STRICT_WIRES: Readonly<Record<Exclude<ModelApi, "demo">, Wire>> = {
  "anthropic-messages": anthropic,
  "openai-responses": openaiResponses,
  "openai-chat": openaiChat,
  "google-generative-ai": google,
  mistral,
};
