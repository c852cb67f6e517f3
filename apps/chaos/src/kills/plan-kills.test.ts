import fc from "fast-check";
import { expect, test } from "vitest";
import { CRASH_POINTS, MIN_HITS, planKills } from "./plan-kills.ts";
import { seededRandom } from "../scene/seeded-random.ts";

test("any seed and size: every point often enough, and passed by the load of its life", () => {
  fc.assert(
    fc.property(fc.integer(), fc.integer({ min: 50, max: 400 }), fc.integer({ min: 3, max: 12 }), (seed, kills, load) => {
      const plan = planKills(seededRandom(seed), { kills, conversations: 20, load });
      expect(plan).toHaveLength(kills);
      for (const point of CRASH_POINTS)
        expect(plan.filter(({ kill }) => kill.type === "point" && kill.point === point).length).toBeGreaterThanOrEqual(MIN_HITS);
      for (const { kill, conversations } of plan) {
        expect(conversations).toHaveLength(load);
        expect(new Set(conversations).size).toBe(load - 1);
        if (kill.type === "point") expect(kill.hit).toBeLessThanOrEqual(load);
      }
    }),
  );
});

test("a seed repeats its plan, another one does not", () => {
  const plan = (seed: number) => planKills(seededRandom(seed), { kills: 60, conversations: 20, load: 6 });
  expect(plan(7)).toEqual(plan(7));
  expect(plan(7)).not.toEqual(plan(8));
});

test("too few kills to hit every point are refused", () => {
  expect(() => planKills(seededRandom(1), { kills: 29, conversations: 20, load: 6 })).toThrow("too few");
});
