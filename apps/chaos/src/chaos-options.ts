import { parseArgs } from "node:util";
import type { KillsOptions } from "./kills/run-kills.ts";
import type { SoakOptions } from "./soak/run-soak.ts";

export const USAGE = `Usage: pnpm chaos [options]          kill the product
       pnpm chaos --soak [options]   watch what it holds over many turns

  --kills N           kill it so often (10000; at least 50)
  --worlds N          products that live side by side (2)
  --conversations N   people who talk to each of them (20)
  --load N            messages in each life of a process (6; at least 3)

  --turns N           turns of a soak (100000; at least 1000)
  --sessions N        sessions of a soak (5000)
  --leak BYTES        make the product hold so much of each turn for ever: a soak must fail then (0)

  --seed N            repeat the plan of an earlier run (a new one)
  --entry FILE        another built factotum.mjs
`;

/** A parsed command line. */
export type ChaosTask =
  | { readonly type: "kills"; readonly options: KillsOptions }
  | { readonly type: "soak"; readonly options: SoakOptions };

/** Parses a command line. Throws with what is wrong. */
export function parseChaosOptions(args: readonly string[], newSeed: () => number): ChaosTask {
  const text = { type: "string" } as const;
  const { values } = parseArgs({
    args: [...args],
    options: {
      soak: { type: "boolean", default: false },
      kills: text,
      worlds: text,
      conversations: text,
      load: text,
      turns: text,
      sessions: text,
      leak: text,
      seed: text,
      entry: text,
    },
  });
  const count = (name: Exclude<keyof typeof values, "soak" | "entry">, usual: number, min: number): number =>
    parseCount(`--${name}`, values[name] ?? String(usual), min);
  const both = {
    seed: values.seed === undefined ? newSeed() : parseCount("--seed", values.seed, 0),
    ...(values.entry !== undefined && { entry: values.entry }),
  };
  const foreign = (["kills", "worlds", "conversations", "load", "turns", "sessions", "leak"] as const).find(
    (name) => values[name] !== undefined && values.soak !== (name === "turns" || name === "sessions" || name === "leak"),
  );
  if (foreign !== undefined) throw new Error(`--${foreign} does not belong ${values.soak ? "to" : "without"} --soak.`);
  if (values.soak) {
    const size = { turns: count("turns", 100_000, 1_000), sessions: count("sessions", 5_000, 1), leakBytes: count("leak", 0, 0) };
    return { type: "soak", options: { ...both, ...size } };
  }
  const options = {
    ...both,
    kills: count("kills", 10_000, 50),
    worlds: count("worlds", 2, 1),
    conversations: count("conversations", 20, 3),
    load: count("load", 6, 3),
  };
  if (options.load > options.conversations) throw new Error("--load may not be more than --conversations.");
  return { type: "kills", options };
}

function parseCount(name: string, text: string, min: number): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(value) || value < min) throw new Error(`${name} takes a whole number from ${min}.`);
  return value;
}
