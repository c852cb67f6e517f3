import { formatKeyPath, type KeyPath } from "../document/key-path.ts";

/**
 * - `missing`: the file is not there, and was before or is named by `FACTOTUM_CONFIG`. - `syntax`: the file cannot be read. - `invalid-value`: a value does not fit its key.
 * - `unenforced`: the file narrows what is allowed, and this build would not keep to it, or cannot read it. No earlier file is used in its place.
 * - `unknown-key`, `unknown-channel`: nothing reads it; a warning at start, an error when the file is checked or changed.
 * - `environment`: a variable of the environment does not fit. - `notice`: worth knowing.
 */
export interface ConfigProblem {
  readonly type: "missing" | "syntax" | "invalid-value" | "unenforced" | "unknown-key" | "unknown-channel" | "environment" | "notice";
  /** `agents.list[0].model`; empty for the whole file. */
  readonly path: string;
  /** What is wrong and what to do. Holds no value of the file. */
  readonly message: string;
}

/** True for problems with which the file is not used. */
export function isFatal({ type }: ConfigProblem): boolean {
  return type === "missing" || type === "syntax" || type === "invalid-value" || type === "unenforced";
}

/** One line for people. */
export function formatProblem({ path, message }: ConfigProblem): string {
  return path === "" ? message : `${path}: ${message}`;
}

/** Makes a problem of a key path. */
export function problemAt(type: ConfigProblem["type"], path: KeyPath, message: string): ConfigProblem {
  return { type, path: formatKeyPath(path), message };
}
