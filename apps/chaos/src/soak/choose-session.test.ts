import { expect, test } from "vitest";
import { seededRandom } from "../scene/seeded-random.ts";
import { chooseSession } from "./choose-session.ts";

function play(turns: number, sessions: number): number[] {
  const random = seededRandom(1);
  return Array.from({ length: turns }, (_, number) => chooseSession(random, number, { turns, sessions }));
}

test("nearly all sessions are active, none before it exists, and none long after it began", () => {
  const chosen = play(20_000, 5_000);
  expect(new Set(chosen).size).toBeGreaterThan(4_800);
  expect(Math.min(...chosen)).toBeGreaterThanOrEqual(0);
  expect(Math.max(...chosen)).toBeLessThan(5_000);
  const spans = Map.groupBy(chosen.entries(), ([, session]) => session);
  for (const turns of spans.values()) expect((turns.at(-1)?.[0] ?? 0) - (turns[0]?.[0] ?? 0)).toBeLessThanOrEqual(500);
});

test("few sessions are active all the time", () => {
  expect(new Set(play(1_000, 7))).toEqual(new Set([0, 1, 2, 3, 4, 5, 6]));
});
