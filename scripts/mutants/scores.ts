import { relative } from "node:path";

/** The part of a mutant's report that the scores need. */
export interface TestedMutant {
  readonly fileName: string;
  readonly mutatorName: string;
  readonly replacement: string;
  readonly location: { readonly start: { readonly line: number } };
  readonly status: string;
}

export interface AreaScore {
  /** Detected by a failing test or by running out of time. */
  readonly killed: number;
  /** Valid mutants: killed, survived or reached by no test. */
  readonly total: number;
  /** Percent, rounded down. */
  readonly score: number;
  /** One line each: place, kind, replacement. */
  readonly survivors: readonly string[];
}

const KILLED = new Set(["Killed", "Timeout"]);
const ALIVE = new Set(["Survived", "NoCoverage"]);

/** Mutants that do not compile or were left out are ignored. Paths are relative to `root`. */
export function scoreOf(mutants: readonly TestedMutant[], root: string): AreaScore {
  const killed = mutants.filter(({ status }) => KILLED.has(status)).length;
  const alive = mutants.filter(({ status }) => ALIVE.has(status));
  const total = killed + alive.length;
  return {
    killed,
    total,
    score: total === 0 ? 0 : Math.floor((killed / total) * 100),
    survivors: alive.map((mutant) => describeMutant(mutant, root)).toSorted(),
  };
}

function describeMutant({ fileName, location, mutatorName, replacement, status }: TestedMutant, root: string): string {
  const change = replacement.replaceAll(/\s+/gu, " ").slice(0, 100);
  return `${relative(root, fileName)}:${location.start.line} ${mutatorName}${status === "NoCoverage" ? " (reached by no test)" : ""}: ${change}`;
}
