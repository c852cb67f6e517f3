import { expect, test } from "vitest";
import { describeKills } from "../src/kills/describe-kills.ts";
import { runKills } from "../src/kills/run-kills.ts";

/** The short form: every point four times, each in another environment. `pnpm test:slow` has 150 kills, `pnpm chaos` any number, with as many environments for each display mode. */
const SHORT = {
  kills: Number(process.env["FACTOTUM_CHAOS_KILLS"] ?? 40),
  seed: 20_261_122,
  worlds: 2,
  conversations: 20,
  load: 4,
  showings: ["whole", "whole", "whole", "preview", "blocks", "progress"],
} as const;

test(`${SHORT.kills} kills, at every crash point and at random: nothing lost, nothing answered twice`, { timeout: 1_800_000 }, async () => {
  const report = await runKills(SHORT);
  const shown = describeKills(SHORT, report);
  console.log(shown);
  expect(report.problems, shown).toEqual([]);
  expect(report.counts, shown).toEqual({ lost: 0, doubled: 0, "wrong-chat": 0, unasked: 0, ambiguous: 0 });
  expect(report.kills).toHaveLength(SHORT.kills);
});
