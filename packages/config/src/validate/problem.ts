import type { Position } from "../document/excerpt.ts";
import { formatKeyPath, type KeyPath } from "../document/key-path.ts";

/**
 * - `missing`: the file does not exist, but did before or is named by `FACTOTUM_CONFIG`. - `syntax`: the file cannot be parsed. - `invalid-value`: a value does
 *   not fit its key.
 * - `unenforced`: the file narrows what is allowed, and this build would not enforce it, or cannot read it. No earlier file is used in its place.
 * - `unknown-key`, `unknown-channel`: has no effect; a warning at start, an error when the file is checked or changed.
 * - `conflict`: a change was made for another text than the file has now.
 * - `extension`: an installed package is not used. - `environment`: an environment variable is invalid. - `notice`: worth knowing.
 */
export interface ConfigProblem {
  readonly type:
    | "missing"
    | "syntax"
    | "invalid-value"
    | "unenforced"
    | "unknown-key"
    | "unknown-channel"
    | "conflict"
    | "extension"
    | "environment"
    | "notice";
  /** `agents.list[0].model`; empty for the whole file. */
  readonly path: string;
  /** What is wrong and what to do. Contains no value of the file. */
  readonly message: string;
  /** Its position in the file, from 1; absent for a missing key, and for a change that was not written. */
  readonly position?: Position;
  /** The line with a mark below the place. Texts that are secrets, or may be, are hidden. */
  readonly excerpt?: string;
}

/** True if the problem makes the config unusable. */
export function isFatal({ type }: ConfigProblem): boolean {
  return type === "missing" || type === "syntax" || type === "invalid-value" || type === "unenforced";
}

/** One line for people: the key, its position, what is wrong and what to do. */
export function formatProblem({ path, message, position }: ConfigProblem): string {
  const place = position === undefined ? "" : ` (line ${position.line}, column ${position.column})`;
  return path === "" ? `${message}${place}` : `${path}: ${message}${place}`;
}

/** The same with the line of the file below it. */
export function showProblem(problem: ConfigProblem): string {
  const { excerpt } = problem;
  return excerpt === undefined ? formatProblem(problem) : `${formatProblem(problem)}\n${excerpt.replaceAll(/^/gm, "    ")}`;
}

/** All problems, each with its excerpt, as an indented block. */
export function listProblems(problems: readonly ConfigProblem[]): string {
  return problems.map((problem) => showProblem(problem).replaceAll(/^/gm, "  ")).join("\n");
}

/** Makes a problem of a key path. */
export function problemAt(type: ConfigProblem["type"], path: KeyPath, message: string): ConfigProblem {
  return { type, path: formatKeyPath(path), message };
}
