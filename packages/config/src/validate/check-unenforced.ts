import { valueAt } from "../document/key-path.ts";
import { matchingPaths } from "../document/matching-paths.ts";
import type { Document } from "../document/plain-object.ts";
import { problemAt, type ConfigProblem } from "./problem.ts";

/** A restricting key that this build does not enforce. Remove the row once the feature is implemented. */
interface UnenforcedKey {
  /** `*` matches any one part. */
  readonly keys: readonly string[];
  /** True for values that allow less than this build does. */
  readonly narrows: (value: unknown) => boolean;
  /** Why it is refused and what to write instead. */
  readonly message: string;
}

const UNENFORCED_KEYS: readonly UnenforcedKey[] = [
  {
    keys: ["commandHooks"],
    narrows: (value) => Array.isArray(value) && value.length > 0,
    message: "this build runs no command hooks, so none would deny anything; remove the key, and deny tools in tools.deny",
  },
];

/** The keys of a document that set limits which this build does not enforce. Checks the raw document, so that a bad value elsewhere hides nothing. */
export function checkUnenforced(document: Document): ConfigProblem[] {
  return UNENFORCED_KEYS.flatMap(({ keys, narrows, message }) =>
    keys
      .flatMap((key) => matchingPaths(document, key))
      .filter((path) => narrows(valueAt(document, path)))
      .map((path) => problemAt("unenforced", path, message)),
  );
}
