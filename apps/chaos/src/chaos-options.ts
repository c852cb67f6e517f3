import { parseArgs } from "node:util";
import type { KillsOptions } from "./kills/run-kills.ts";

export const USAGE = `Usage: pnpm chaos [options]

  --kills N           kill the product so often (10000; at least 50)
  --seed N            repeat the plan of an earlier run (a new one)
  --worlds N          products that live side by side (2)
  --conversations N   people who talk to each of them (20)
  --load N            messages in each life of a process (6; at least 3)
  --entry FILE        another built factotum.mjs
`;

/** Reads a command line. Throws with what is wrong. */
export function parseChaosOptions(args: readonly string[], newSeed: () => number): KillsOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      kills: { type: "string", default: "10000" },
      seed: { type: "string" },
      worlds: { type: "string", default: "2" },
      conversations: { type: "string", default: "20" },
      load: { type: "string", default: "6" },
      entry: { type: "string" },
    },
  });
  const { entry } = values;
  const chosen = {
    kills: parseCount("--kills", values.kills, 50),
    seed: values.seed === undefined ? newSeed() : parseCount("--seed", values.seed, 0),
    worlds: parseCount("--worlds", values.worlds, 1),
    conversations: parseCount("--conversations", values.conversations, 3),
    load: parseCount("--load", values.load, 3),
    ...(entry === undefined ? {} : { entry }),
  };
  if (chosen.load > chosen.conversations) throw new Error("--load may not be more than --conversations.");
  return chosen;
}

function parseCount(name: string, text: string, min: number): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(value) || value < min) throw new Error(`${name} takes a whole number from ${min}.`);
  return value;
}
