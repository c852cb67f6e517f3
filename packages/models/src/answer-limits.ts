import type { ModelInfo } from "@factotum/agent-contract";
import type { BodyLimits } from "./transport/body-limits.ts";

const KIB = 1024;
const MIB = 1024 * KIB;

/** Maximum size of an answer: see the package's README, Limits. */
export interface AnswerLimits extends BodyLimits {
  /** Text, thoughts and arguments together. */
  readonly maxAnswerChars: number;
}

/**
 * Limits above every genuine answer of the model: a token is a few characters long, and a server sends less than a KiB around each. The floors are for servers
 * that ignore the output limit, and for models whose limit is a guess.
 */
export function answerLimits({ maxOutput }: Pick<ModelInfo, "maxOutput">): AnswerLimits {
  return {
    maxEventBytes: 4 * MIB,
    maxAnswerBytes: Math.max(64 * MIB, maxOutput * KIB),
    maxAnswerChars: Math.max(MIB, maxOutput * 32),
  };
}
