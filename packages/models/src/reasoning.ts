import type { LanguageModelV4CallOptions } from "@ai-sdk/provider";
import type { ThinkingLevel } from "@factotum/agent-contract";

/** The SDK's name of a thinking level. `adaptive` and an unset level leave it to the model. */
export function toReasoning(level: ThinkingLevel | undefined): Exclude<LanguageModelV4CallOptions["reasoning"], "provider-default"> {
  if (level === undefined || level === "adaptive") return undefined;
  return level === "off" ? "none" : level;
}
