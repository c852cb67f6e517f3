import type { ConfigProblem } from "../validate/problem.ts";
import { readCopiesOfMissing, type LastGoodCopy } from "./last-good.ts";
import type { Environment, StatePaths } from "./state-paths.ts";

/** What a missing configuration file means. Losing a file with limits must not remove the limits. */
export type MissingConfig =
  /** Nothing has run here before: the defaults apply, and the file can be created. It is a problem only because `FACTOTUM_CONFIG` names it. */
  | { readonly type: "new"; readonly problem?: ConfigProblem }
  /** It existed, and its last good copy replaces it. `path`: where it was. */
  | { readonly type: "copied"; readonly path: string; readonly copy: LastGoodCopy; readonly problem: ConfigProblem }
  /** Something has run here, and it is uncertain which file is missing. */
  | { readonly type: "unclear"; readonly problem: ConfigProblem };

/** Explains a missing file at `configPath`, and what to do. */
export async function explainMissing(paths: StatePaths, env: Environment, configPath: string): Promise<MissingConfig> {
  const isNamed = (env["FACTOTUM_CONFIG"]?.trim() ?? "") !== "";
  const { copy, paths: copies } = await readCopiesOfMissing(paths, configPath, { isNamed });
  if (copy !== undefined) {
    const { original } = copy;
    const back = `cp ${JSON.stringify(copy.path)} ${JSON.stringify(original)}`;
    const text = `${original} is not there any more, and its last good copy holds. Put it back with ${back}; or, to start afresh, remove the copy`;
    return { type: "copied", path: original, copy, problem: missing(text) };
  }
  const name = isNamed ? `FACTOTUM_CONFIG names ${configPath}, which does not exist` : `${configPath} does not exist`;
  if (copies.length === 0) return { type: "new", ...(isNamed ? { problem: missing(`${name}; the defaults hold`) } : {}) };
  const found = copies.length === 1 ? "is the last good copy of another file" : "are last good copies";
  const correct = isNamed
    ? "Correct FACTOTUM_CONFIG, or put the missing file there"
    : "Put the missing file there, or name another one in FACTOTUM_CONFIG";
  const text = `${name}, and a gateway has run here before: ${copies.join(", ")} ${found}. ${correct}; or, to start afresh, remove ${copies.length === 1 ? "that copy" : "those copies"}`;
  return { type: "unclear", problem: missing(text) };
}

function missing(message: string): ConfigProblem {
  return { type: "missing", path: "", message };
}
