import type { ModelInfo } from "@factotum/agent-contract";

/** Whether a model's window is large enough for an agent. The message is for users and says what to do. */
export type WindowVerdict =
  | { readonly type: "enough" }
  | { readonly type: "small"; readonly message: string }
  | { readonly type: "too-small"; readonly message: string };

/** Below this, an agent's prompt, tools and one result do not fit. */
const LEAST_TOKENS = 16_000;
/** Below this, conversations are compacted constantly. */
const COMFORTABLE_TOKENS = 32_000;

/** Checks the window: under 16,000 tokens a model is refused for agent runs, under 32,000 there is a warning. Pure. */
export function checkWindow(info: Pick<ModelInfo, "provider" | "id" | "contextWindow" | "known">): WindowVerdict {
  const { provider, id, contextWindow } = info;
  if (contextWindow >= COMFORTABLE_TOKENS) return { type: "enough" };
  const source = info.known ? "" : " (a guess, since the model is not known)";
  const fact = `The window of ${provider}/${id} is ${contextWindow} tokens${source}`;
  const advice = `Choose another model, or set contextWindow of this one in models.providers.${provider}.models when its server offers more.`;
  return contextWindow < LEAST_TOKENS
    ? { type: "too-small", message: `${fact}, and an agent needs ${LEAST_TOKENS}. ${advice}` }
    : { type: "small", message: `${fact}: long conversations will be compacted often. ${advice}` };
}
