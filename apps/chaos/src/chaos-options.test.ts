import { expect, test } from "vitest";
import { parseChaosOptions } from "./chaos-options.ts";

test("without options it is the long form of kills, with a random seed", () => {
  const options = { kills: 10_000, seed: 42, worlds: 2, conversations: 20, load: 6 };
  expect(parseChaosOptions([], () => 42)).toEqual({ type: "kills", options });
});

test("a seed repeats a run", () => {
  const args = "--seed 7 --kills 60 --worlds 3 --conversations 10 --load 4 --entry dist/factotum.mjs".split(" ");
  const options = { kills: 60, seed: 7, worlds: 3, conversations: 10, load: 4, entry: "dist/factotum.mjs" };
  expect(parseChaosOptions(args, () => 42)).toEqual({ type: "kills", options });
});

test("a soak has its own numbers", () => {
  expect(parseChaosOptions(["--soak"], () => 42)).toEqual({
    type: "soak",
    options: { turns: 100_000, sessions: 5_000, leakBytes: 0, seed: 42 },
  });
  const args = "--soak --turns 20000 --sessions 100 --leak 1024 --seed 1".split(" ");
  expect(parseChaosOptions(args, () => 42)).toEqual({
    type: "soak",
    options: { turns: 20_000, sessions: 100, leakBytes: 1024, seed: 1 },
  });
});

test.each([
  ["--kills", "49"],
  ["--kills", "many"],
  ["--seed=-1"],
  ["--load", "2"],
  ["--load", "21"],
  ["--worlds", "0"],
  ["--points"],
  ["--turns", "20000"],
  ["--leak", "1024"],
  ["--soak", "--kills", "60"],
  ["--soak", "--turns", "999"],
])("%s %s is refused", (...args) => {
  expect(() => parseChaosOptions(args, () => 42)).toThrow();
});
