import { type ModelInfo, THINKING_LEVELS, type ThinkingLevel } from "@factotum/agent-contract";
import { thinkingLevelsOf } from "./thinking-levels.ts";

/** The result of a thinking request. */
export interface AppliedThinking {
  readonly requested: ThinkingLevel;
  readonly applied: ThinkingLevel;
  /** For users, if the two differ. */
  readonly note?: string;
}

/**
 * The level to request from the model: the requested one, else the nearest weaker one that it accepts, else its weakest. `off` for a model that always thinks
 * becomes its weakest level; `adaptive` for one that needs a level becomes `medium` or the nearest one. Pure.
 */
export function clampThinking(info: ModelInfo, requested: ThinkingLevel): AppliedThinking {
  const levels = thinkingLevelsOf(info);
  const applied = levels.includes(requested) ? requested : nearest(levels, requested === "adaptive" ? "medium" : requested);
  if (applied === requested) return { requested, applied };
  const reason = info.reasoning ? `takes ${levels.join(", ")}` : "does not think";
  return { requested, applied, note: `${info.provider}/${info.id} ${reason}: thinking is ${applied} in place of ${requested}.` };
}

function nearest(levels: readonly ThinkingLevel[], wanted: ThinkingLevel): ThinkingLevel {
  const graded = THINKING_LEVELS.filter((level) => level !== "adaptive" && levels.includes(level));
  const rank = (level: ThinkingLevel): number => THINKING_LEVELS.indexOf(level);
  // A request to think never becomes `off` if there is a level above it.
  const weaker = graded.findLast((level) => level !== "off" && rank(level) <= rank(wanted));
  return weaker ?? graded.find((level) => level !== "off") ?? "off";
}
