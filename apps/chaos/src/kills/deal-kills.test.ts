import { expect, test } from "vitest";
import { seededRandom } from "../scene/seeded-random.ts";
import { dealKills } from "./deal-kills.ts";
import { CRASH_POINTS, planKills } from "./plan-kills.ts";

const SHOWINGS = ["whole", "whole", "whole", "preview", "blocks", "progress"] as const;
const planned = (kills: number) => planKills(seededRandom(7), { kills, conversations: 20, load: 4 });

test("60 kills: each of six environments has every point once, and two at random", () => {
  const plans = planned(60);
  const worlds = dealKills(plans, { worlds: 2, showings: SHOWINGS });
  expect(worlds.map(({ showing }) => showing)).toEqual(SHOWINGS);
  for (const world of worlds) {
    const points = world.plans.flatMap(({ kill }) => (kill.type === "point" ? [kill.point] : []));
    expect(points.toSorted()).toEqual(CRASH_POINTS.toSorted());
    expect(world.plans).toHaveLength(10);
    expect(world.plans).toEqual(plans.filter((plan) => world.plans.includes(plan)));
  }
  // The points do not have the same order everywhere.
  expect(
    new Set(worlds.map((world) => JSON.stringify(world.plans.map(({ kill }) => (kill.type === "point" ? kill.point : ""))))).size,
  ).toBe(6);
});

test("environments have at most 200 kills, and every kill is dealt once", () => {
  const plans = planned(2_000);
  const worlds = dealKills(plans, { worlds: 2 });
  expect(worlds).toHaveLength(10);
  for (const world of worlds) expect(world.plans).toHaveLength(200);
  expect(new Set(worlds.flatMap((world) => world.plans)).size).toBe(2_000);
});
