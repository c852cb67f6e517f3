import { NO_USAGE } from "@factotum/agent-contract";
import { expect, test } from "vitest";
import { rereadTokens } from "./reread-cost.ts";

const request = (usage: { readonly input?: number; readonly cacheRead?: number; readonly cacheWrite?: number }) => ({
  model: "p/m",
  usage: { ...NO_USAGE, ...usage, total: 1 },
});
const cost = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 };

test("what was not read from the cache costs the difference to its price there, and more if it was written again", () => {
  const earlier = request({ input: 100, cacheWrite: 900 });
  expect(rereadTokens({ earlier, later: request({ input: 1200 }), cost })).toEqual({
    tokens: 1000,
    costUsd: expect.closeTo(0.0027, 9) as number,
  });
  expect(rereadTokens({ earlier, later: request({ cacheWrite: 1200 }), cost })).toEqual({
    tokens: 1000,
    costUsd: expect.closeTo(0.003_45, 9) as number,
  });
  expect(rereadTokens({ earlier, later: request({ cacheRead: 400, cacheWrite: 800 }), cost })?.tokens).toBe(600);
});

test("nothing is lost when all was read, and nothing is said of a provider that shows no cache", () => {
  const earlier = request({ input: 1000 });
  expect(rereadTokens({ earlier, later: request({ cacheRead: 1000, input: 50 }), cost })).toBeUndefined();
  expect(rereadTokens({ earlier, later: request({ input: 1200 }), cost: { input: 0, output: 0 } })).toBeUndefined();
  expect(rereadTokens({ earlier: request({ cacheWrite: 500 }), later: request({ input: 1200 }), cost: undefined })).toEqual({
    tokens: 500,
  });
});
