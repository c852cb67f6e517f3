import { expect, test } from "vitest";
import { HumanPace } from "./human-pace.ts";

function pace(config: ConstructorParameters<typeof HumanPace>[0], float: number): HumanPace {
  return new HumanPace(config, { random: { float: () => float }, now: () => 1_000 });
}

const bounds = { minMs: 100, maxMs: 200 };

test("the first message is never delayed, each later one waits after the one before it", () => {
  const natural = pace({ mode: "natural", ...bounds }, 0);
  expect([natural.next(), natural.next(), natural.next()]).toEqual([1_000, 1_800, 2_600]);
  const custom = pace({ mode: "custom", ...bounds }, 0.9999);
  expect([custom.next(), custom.next()]).toEqual([1_000, 1_200]);
  const off = pace({ mode: "off", ...bounds }, 0.5);
  expect([off.next(), off.next()]).toEqual([1_000, 1_000]);
});

test("after a restart it continues behind messages that are already due", () => {
  const custom = pace({ mode: "custom", ...bounds }, 0);
  custom.record(5_000);
  expect(custom.next()).toBe(5_100);
});

test("a clock that is set back delays nothing", () => {
  let nowMs = 100_000_000;
  const custom = new HumanPace({ mode: "custom", ...bounds }, { random: { float: () => 0 }, now: () => nowMs });
  expect([custom.next(), custom.next()]).toEqual([100_000_000, 100_000_100]);
  nowMs = 0;
  expect([custom.next(), custom.next()]).toEqual([200, 300]);
});
