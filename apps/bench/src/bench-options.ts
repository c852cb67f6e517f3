import { parseArgs } from "node:util";

/** Options of a run. */
export interface BenchOptions {
  /** How much is measured; see the plans. */
  readonly form: "full" | "quick" | "check" | "sizes" | "web" | "subagents";
  /** Store the figures as the record for later checks. */
  readonly record: boolean;
  /** Install and measure the peer too. */
  readonly peer: boolean;
  /** Write a CPU profile of the gateway instead of measuring. */
  readonly profile: boolean;
  /** Another built command than this checkout's. */
  readonly entry?: string;
  /** A built command to compare with, in place of the floor. */
  readonly against?: string;
}

export const USAGE = `Usage: pnpm bench [options]

  --quick         fewer rounds, and idle memory after 3 seconds instead of 30
  --check         the short form for CI: fails on sizes over their limit, and on times that are much worse than recorded
  --sizes         bytes, memory and disk alone, and fails on one over its limit
  --web           the page in Chromium alone, and fails on a figure that misses its target
  --subagents     turns while 50 sub-agents work, and memory after 1,000, and fails on a figure that misses its target
  --record        write the figures to results/baseline.json, which --check compares with; with --web to results/web-baseline.json
  --peer          install openclaw into a temporary folder and measure it too (long)
  --profile       write a CPU profile of the gateway under turns, and measure nothing
  --entry FILE    measure another built factotum.mjs
  --against FILE  compare with another built factotum.mjs in alternating rounds; with --quick or alone
`;

/** Parses a command line. Throws with what is wrong. */
export function parseBenchOptions(args: readonly string[]): BenchOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: "boolean", default: false },
      check: { type: "boolean", default: false },
      sizes: { type: "boolean", default: false },
      web: { type: "boolean", default: false },
      subagents: { type: "boolean", default: false },
      record: { type: "boolean", default: false },
      peer: { type: "boolean", default: false },
      profile: { type: "boolean", default: false },
      entry: { type: "string" },
      against: { type: "string" },
    },
  });
  const others = values.quick || (values.record && !values.web) || values.peer || values.profile;
  const alone = (["check", "sizes", "web", "subagents"] as const).filter((name) => values[name]);
  if (alone.length > 1 || (alone.length === 1 && others))
    throw new Error("--check, --sizes, --web and --subagents stand alone, except for --record with --web.");
  if (values.against !== undefined && (alone.length === 1 || values.record || values.peer || values.profile))
    throw new Error("--against goes with --quick and --entry only.");
  if (values.profile && (values.record || values.peer)) throw new Error("--profile measures nothing: leave --record and --peer out.");
  return {
    form: alone[0] ?? (values.quick ? "quick" : "full"),
    record: values.record,
    peer: values.peer,
    profile: values.profile,
    ...(values.entry !== undefined && { entry: values.entry }),
    ...(values.against !== undefined && { against: values.against }),
  };
}
