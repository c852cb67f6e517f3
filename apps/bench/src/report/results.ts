import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { arch, cpus, platform, release, totalmem } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { Measurements } from "./figures.ts";

/** A run as stored. */
export interface RunResult {
  readonly recordedAt: string;
  readonly form: string;
  readonly commit: string;
  readonly machine: { readonly cpu: string; readonly cores: number; readonly memoryMiB: number; readonly system: string };
  readonly versions: Readonly<Record<string, string>>;
  readonly figures: Measurements;
  readonly peer?: Measurements;
}

const FOLDER = fileURLToPath(new URL("../../results/", import.meta.url));
/** The recorded runs: of the gateway, and of the page. */
const BASELINES = { gateway: "baseline.json", web: "web-baseline.json" } as const;

/** Adds the facts of this machine and checkout to a run. */
export function describeRun(
  form: string,
  measured: { readonly figures: Measurements; readonly peer?: Measurements; readonly versions: Readonly<Record<string, string>> },
): RunResult {
  return {
    recordedAt: new Date().toISOString(),
    form,
    commit: readCommit(),
    machine: {
      cpu: cpus()[0]?.model ?? "unknown",
      cores: cpus().length,
      memoryMiB: Math.round(totalmem() / 1024 ** 2),
      system: `${platform()} ${release()} ${arch()}`,
    },
    versions: { node: process.version, ...measured.versions },
    figures: measured.figures,
    ...(measured.peer !== undefined && { peer: measured.peer }),
  };
}

/** Stores a run next to the earlier ones, or as the record of the gateway or of the page that later ones are compared with; returns the file. */
export function writeResult(result: RunResult, as: "run" | keyof typeof BASELINES): string {
  mkdirSync(FOLDER, { recursive: true });
  const file = as !== "run" ? path.join(FOLDER, BASELINES[as]) : path.join(FOLDER, `${result.recordedAt.replaceAll(/[:.]/g, "-")}.json`);
  writeFileSync(file, `${JSON.stringify(result, roundNumbers, 2)}\n`);
  return file;
}

/** The recorded figures. Throws if there are none: a check without a record would check nothing. */
export function readBaseline(of: keyof typeof BASELINES): Measurements {
  try {
    return (JSON.parse(readFileSync(path.join(FOLDER, BASELINES[of]), "utf8")) as RunResult).figures;
  } catch (error) {
    throw new Error('No recorded figures to compare with: record them with "pnpm bench --record".', { cause: error });
  }
}

function roundNumbers(_key: string, value: unknown): unknown {
  return typeof value === "number" ? Number(value.toPrecision(6)) : value;
}

function readCommit(): string {
  const git = (...args: string[]): string =>
    execFileSync("git", args, { cwd: FOLDER, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
  try {
    return `${git("rev-parse", "HEAD")}${git("status", "--porcelain", "--untracked-files=no") === "" ? "" : " with changes"}`;
  } catch (error) {
    // A checkout without history, or no git at all: the figures are still valid.
    return error instanceof Error ? "unknown" : String(error);
  }
}
