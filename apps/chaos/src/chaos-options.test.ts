import { expect, test } from "vitest";
import { parseChaosOptions } from "./chaos-options.ts";

test("without options it is the long form, with a seed of its own", () => {
  expect(parseChaosOptions([], () => 42)).toEqual({ kills: 10_000, seed: 42, worlds: 2, conversations: 20, load: 6 });
});

test("a run is repeated by its seed", () => {
  const args = ["--seed", "7", "--kills", "60", "--worlds", "3", "--conversations", "10", "--load", "4", "--entry", "dist/factotum.mjs"];
  expect(parseChaosOptions(args, () => 42)).toEqual({
    kills: 60,
    seed: 7,
    worlds: 3,
    conversations: 10,
    load: 4,
    entry: "dist/factotum.mjs",
  });
});

test.each([["--kills", "49"], ["--kills", "many"], ["--seed=-1"], ["--load", "2"], ["--load", "21"], ["--worlds", "0"], ["--points"]])(
  "%s %s is refused",
  (...args) => {
    expect(() => parseChaosOptions(args, () => 42)).toThrow();
  },
);
