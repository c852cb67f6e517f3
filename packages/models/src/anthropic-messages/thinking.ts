import type { ModelInfo, ModelRequest, ThinkingLevel } from "@factotum/agent-contract";
import { thinksWithinBudget } from "../thinking/thinking-levels.ts";

/** The thinking settings of the request, and how much of the output limit they take. */
export type AnthropicThinking =
  | { readonly type: "unset" }
  | { readonly type: "off" }
  | { readonly type: "adaptive"; readonly effort?: "low" | "medium" | "high" | "xhigh" | "max" }
  | { readonly type: "budget"; readonly budgetTokens: number };

/** The smallest budget that the endpoint accepts. */
const LEAST_BUDGET = 1_024;

const BUDGETS: Readonly<Record<Exclude<ThinkingLevel, "off">, number>> = {
  minimal: 1_024,
  low: 4_096,
  medium: 8_192,
  adaptive: 8_192,
  high: 16_384,
  xhigh: 24_576,
  max: 32_000,
};

/** Derives the thinking settings from level, model and history. Pure. */
export function chooseThinking(request: ModelRequest, info: ModelInfo, maxOutputTokens: number): AnthropicThinking {
  const level = request.thinking;
  if (!info.reasoning || level === undefined) return { type: "unset" };
  if (level === "off") return { type: "off" };
  if (thinksWithinBudget(info.id)) return chooseBudget(level, request, maxOutputTokens);
  if (level === "adaptive") return { type: "adaptive" };
  return { type: "adaptive", effort: level === "minimal" ? "low" : level };
}

/** At most half of the limit, so that an answer fits after the thinking; none if the endpoint would refuse it. */
function chooseBudget(level: Exclude<ThinkingLevel, "off">, request: ModelRequest, maxOutputTokens: number): AnthropicThinking {
  const budgetTokens = Math.min(BUDGETS[level], Math.floor(maxOutputTokens / 2));
  if (budgetTokens < LEAST_BUDGET || isInsideForeignToolUse(request)) return { type: "unset" };
  return { type: "budget", budgetTokens };
}

/** With a budget, a turn that continues after tool calls must have started with a thought; a turn started by another model has none. */
function isInsideForeignToolUse(request: ModelRequest): boolean {
  const turn = request.messages.slice(request.messages.findLastIndex((message) => message.role === "user") + 1);
  return turn.some((message) => {
    if (message.role !== "assistant" || !message.content.some((part) => part.type === "toolCall")) return false;
    return message.content[0]?.type !== "thinking" || message.content[0].signature === undefined;
  });
}
