import { describe, expect, test } from "vitest";
import { judgeSoak } from "./judge-soak.ts";
import type { SoakRun } from "./judge-soak.ts";

const MIB = 1024 ** 2;
const HELD = { timers: 9, "file descriptors": 37, "child processes": 0 };

/** A run, of 100,000 turns by default: the memory climbs during the warm-up, then by `growthMib` per 10,000 turns, with some noise. */
function runOf({
  growthMib = 0,
  after = HELD,
  noiseMib = 1,
  turns: total = 100_000,
}: {
  growthMib?: number;
  after?: SoakRun["after"];
  noiseMib?: number;
  turns?: number;
}): SoakRun {
  const samples = Array.from({ length: 200 }, (_, index) => {
    const turns = ((index + 1) * total) / 200;
    const mib = 120 + Math.min(index, 40) + (growthMib * turns) / 10_000 + (index % 2 === 0 ? noiseMib : -noiseMib);
    return { turns, rss: mib * MIB, anonymous: (mib - 40) * MIB, heapUsed: 30 * MIB, external: 10 * MIB };
  });
  return { turns: total, samples, before: HELD, after };
}

test("constant memory after any warm-up is no problem", () => {
  const { line, problems } = judgeSoak(runOf({}));
  expect(problems).toEqual([]);
  expect(line.slope).toBeCloseTo(0, 1);
});

describe("a leak is found", () => {
  test("of memory", () => {
    const { line, problems } = judgeSoak(runOf({ growthMib: 2 }));
    expect(line.slope).toBeCloseTo(2, 0);
    expect(problems).toEqual([expect.stringMatching(/may grow by 2\.\d+ MiB per 10,000 turns/)]);
  });

  test("of memory that grows too little to stand out from the noise, but could grow more", () => {
    expect(judgeSoak(runOf({ growthMib: 0.9, noiseMib: 20 })).problems).toHaveLength(1);
    expect(judgeSoak(runOf({ growthMib: 0.5, noiseMib: 0.5 })).problems).toEqual([]);
  });

  test("of memory in a short run, in which it still settles", () => {
    expect(judgeSoak(runOf({ growthMib: 1.5, turns: 99_999 })).problems).toEqual([]);
    expect(judgeSoak(runOf({ growthMib: 1.5, turns: 100_000 })).problems).toHaveLength(1);
    expect(judgeSoak(runOf({ growthMib: 3, turns: 30_000 })).problems).toHaveLength(1);
  });

  test.each([
    ["timers", 10],
    ["file descriptors", 38],
    ["child processes", 1],
    ["sockets", 1],
  ])("of %s", (kind, count) => {
    expect(judgeSoak(runOf({ after: { ...HELD, [kind]: count } })).problems).toEqual([
      expect.stringContaining(`${count} at the end`) as string,
    ]);
  });
});

test("memory of a very short run is shown and not judged, but counts of objects are", () => {
  const run = { ...runOf({ growthMib: 50, after: { ...HELD, timers: 10 } }), turns: 19_999 };
  const { line, problems } = judgeSoak(run);
  expect(line.slope).toBeGreaterThan(40);
  expect(problems).toEqual([expect.stringContaining("timers") as string]);
});

test("memory that is released is no leak", () => {
  expect(judgeSoak(runOf({ after: { timers: 8, "file descriptors": 30 } })).problems).toEqual([]);
});
