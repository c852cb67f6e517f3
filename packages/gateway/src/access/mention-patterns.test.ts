import { performance } from "node:perf_hooks";
import { expect, test } from "vitest";
import { createMemoryLogger } from "../../test/gateway-harness.ts";
import { compileMentionPatterns } from "./mention-patterns.ts";

test("any pattern counts, whatever the case, in the first 2,000 characters", () => {
  const logger = createMemoryLogger();
  const match = compileMentionPatterns(["\\bfacto\\b", "^(?:hey|hi)\\s+bot\\s*"], logger);
  for (const text of ["ask FACTO", "Hey  Bot", "hi bot!"]) expect(match(text), text).toBe(true);
  for (const text of ["factory", "bot, hey", `${"x ".repeat(1000)}facto`]) expect(match(text), text).toBe(false);
  expect(compileMentionPatterns([], logger)("facto")).toBe(false);
  expect(logger.lines).toEqual([]);
});

test("an expensive pattern is stopped, counts as no mention and is logged once", () => {
  const logger = createMemoryLogger();
  const match = compileMentionPatterns(["a*a*a*a*a*a*a*a*b"], logger);
  const started = performance.now();
  for (let times = 0; times < 3; times += 1) expect(match("a".repeat(5000))).toBe(false);
  // Without the limit it takes years; the bound is loose, because the machine may be busy.
  expect(performance.now() - started).toBeLessThan(20_000);
  expect(logger.lines).toHaveLength(1);
  expect(match("aab")).toBe(true);
});
