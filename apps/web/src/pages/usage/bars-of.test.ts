import type { UsageReport } from "@factotum/protocol";
import { expect, test } from "vitest";
import { stackEnds } from "../../ui/stack-ends.ts";
import { barsOf } from "./bars-of.ts";

type Group = UsageReport["groups"][number];

function group(keys: Group["keys"], costUsd: number): Group {
  return { keys, costUsd, requests: 1, failed: 0, unpriced: 0, input: 10, output: 5, cacheRead: 3, cacheWrite: 2, total: 20 };
}

test("every day has a bar, also one without usage", () => {
  const bars = barsOf([group({ day: "2026-11-28" }, 2)], { by: "day", from: "2026-11-27", to: "2026-11-29" });
  expect(bars.map(({ key, costUsd, cached, read, written }) => [key, costUsd, cached, read, written])).toEqual([
    ["2026-11-27", 0, 0, 0, 0],
    ["2026-11-28", 2, 3, 12, 5],
    ["2026-11-29", 0, 0, 0, 0],
  ]);
});

test("of many groups the last bar is the sum of the rest, and nothing is lost", () => {
  const groups = Array.from({ length: 14 }, (_, index) => group({ model: `lab/m${index}` }, 14 - index));
  const period = { by: "model", from: "2026-11-01", to: "2026-11-29" } as const;
  const bars = barsOf(groups, period);
  expect(bars).toHaveLength(10);
  expect(bars.at(-1)).toEqual({ others: 5, costUsd: 5 + 4 + 3 + 2 + 1, cached: 15, read: 60, written: 25 });
  expect(barsOf(groups.slice(0, 10), period).map(({ key }) => key)).toEqual(groups.slice(0, 10).map(({ keys }) => keys.model));
});

test("parts are stacked, the whole first, so that the lower ones are drawn over it", () => {
  const series = [
    { label: "a", values: [1, 2] },
    { label: "b", values: [10, 0] },
  ];
  expect(stackEnds(["x", "y"], series)).toEqual([
    [11, 2],
    [1, 2],
  ]);
});
