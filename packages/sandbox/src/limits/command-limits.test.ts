import { expect, test } from "vitest";
import { findExcess } from "./command-limits.ts";

const LIMITS = { maxProcesses: 10, maxMemoryBytes: 1_000 };

test("finds nothing up to and including the limits", () => {
  expect(findExcess([], LIMITS)).toBeUndefined();
  expect(
    findExcess(
      [
        { processes: 4, memoryBytes: 400 },
        { processes: 6, memoryBytes: 600 },
      ],
      LIMITS,
    ),
  ).toBeUndefined();
});

test("adds up all commands and names the one with the largest share", () => {
  const usages = [
    { processes: 3, memoryBytes: 600 },
    { processes: 4, memoryBytes: 401 },
  ];
  expect(findExcess(usages, LIMITS)).toEqual({ index: 0, excess: { limit: "memory", used: 1_001, allowed: 1_000 } });
  expect(findExcess(usages, { ...LIMITS, maxProcesses: 6 })).toEqual({ index: 1, excess: { limit: "processes", used: 7, allowed: 6 } });
});
