import type { ModelInfo, ThinkingLevel } from "@factotum/agent-contract";
import { clampThinking } from "./clamp-thinking.ts";

/** Models that do not think unless a level is set; leaving it to them gives no thoughts. */
const SILENT_BY_DEFAULT = /^gpt-5\.[1-4](?!\d)/;

/** Whether a provider returns a model's thoughts at all. A model without native thinking is instructed to write them down. */
function givesThoughts({ api, provider, reasoning }: Pick<ModelInfo, "api" | "provider" | "reasoning">): boolean {
  if (api === "demo") return reasoning;
  // OpenAI's own chat endpoint does not return them; its Responses API gives summaries.
  return !(api === "openai-chat" && provider === "openai" && reasoning);
}

/**
 * The level to request from a model whose thoughts people read, if no level is set: adaptive if that gives thoughts, else `medium` or the nearest one.
 * `undefined` if it makes no difference.
 */
export function levelForThoughts(info: ModelInfo): ThinkingLevel | undefined {
  if (!info.reasoning || !givesThoughts(info)) return undefined;
  const name = info.id.slice(info.id.lastIndexOf("/") + 1);
  const mustBeTold = info.api === "mistral" || (info.api === "openai-responses" && SILENT_BY_DEFAULT.test(name));
  return clampThinking(info, mustBeTold ? "medium" : "adaptive").applied;
}

/** For users: why there are no thoughts to show at this level, or `undefined` if there can be some. */
export function noThoughtsNote(info: ModelInfo, thinking: ThinkingLevel | undefined): string | undefined {
  const name = `${info.provider}/${info.id}`;
  if (!givesThoughts(info)) {
    const advice = info.api === "openai-chat" ? " Over OpenAI's Responses API (api: openai-responses) it gives summaries." : "";
    return `${name} gives no thoughts, so there is nothing to show.${advice}`;
  }
  const isOff = thinking !== undefined && (info.reasoning ? clampThinking(info, thinking).applied : thinking) === "off";
  return isOff ? "Thinking is off, so there is nothing to show; /think default lets the model think." : undefined;
}
