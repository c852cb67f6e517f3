import { expect, test } from "vitest";
import { answerLimits } from "./answer-limits.ts";

const MIB = 1024 ** 2;

test.each([
  [4_096, 64 * MIB, MIB],
  [32_768, 64 * MIB, MIB],
  [65_536, 64 * MIB, 2 * MIB],
  [128_000, 125 * MIB, 4_096_000],
])("an answer of at most %d tokens may have %d bytes and %d characters", (maxOutput, maxAnswerBytes, maxAnswerChars) => {
  expect(answerLimits({ maxOutput })).toEqual({ maxEventBytes: 4 * MIB, maxAnswerBytes, maxAnswerChars });
});
