import { type ModelInfo, THINKING_LEVELS, type ThinkingLevel } from "@factotum/agent-contract";
import { thinkingLevelsOf } from "./thinking-levels.ts";

/** What became of a wish for thinking. */
export interface AppliedThinking {
  readonly requested: ThinkingLevel;
  readonly applied: ThinkingLevel;
  /** For people, when the two differ. */
  readonly note?: string;
}

/**
 * The level that is asked of the model: the one wished for, else the nearest weaker one that it takes, else its weakest. `off` of a model that
 * always thinks is its weakest level; `adaptive` of one that needs to be told becomes `medium` or what is nearest. Pure.
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
  // A wish to think is not answered with `off` while there is a level above it.
  const weaker = graded.findLast((level) => level !== "off" && rank(level) <= rank(wanted));
  return weaker ?? graded.find((level) => level !== "off") ?? "off";
}
