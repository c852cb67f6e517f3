import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { describeSoak } from "../src/soak/describe-soak.ts";
import { runSoak } from "../src/soak/run-soak.ts";
import { saveSoak } from "../src/soak/save-soak.ts";

// The product is measured as people start it, without the cache that all end-to-end tests share.
beforeEach(() => void vi.stubEnv("NODE_COMPILE_CACHE", undefined));
afterEach(() => void vi.unstubAllEnvs());

const { FACTOTUM_SOAK_TURNS } = process.env;
/** Part of `pnpm test:slow`; `pnpm chaos --soak` has the long form. In 20,000 turns the steps of the warm-up reach into the fitted part. */
const SHORT = { turns: Number(FACTOTUM_SOAK_TURNS ?? 30_000), sessions: 5_000, seed: 20_261_122 };

test.runIf(process.platform === "linux" && FACTOTUM_SOAK_TURNS !== undefined)(
  `${SHORT.turns} turns: the process holds no more than before`,
  { timeout: 3_600_000 },
  async () => {
    const report = await runSoak(SHORT);
    const shown = `${describeSoak(SHORT, report)}\nThe picture is ${await saveSoak(report)}`;
    console.log(shown);
    expect(report.problems, shown).toEqual([]);
  },
);
