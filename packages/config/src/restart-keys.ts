import { isDeepStrictEqual } from "node:util";
import { valueAt } from "./document/key-path.ts";
import type { ConfigChange } from "./write/diff-documents.ts";

/** The keys of the listening address, fixed from the start to the end. All other changes are applied at run time. */
export const RESTART_KEYS: readonly string[] = ["gateway.port", "gateway.bind"];

/** Which of the changed keys take effect only after a restart. */
export function restartKeys(changes: readonly ConfigChange[]): readonly string[] {
  return RESTART_KEYS.filter((key) =>
    changes.some((change) => {
      if (key !== change.path && !key.startsWith(`${change.path}.`)) return false;
      const rest = key
        .slice(change.path.length)
        .split(".")
        .filter((part) => part !== "");
      const [before, after] = ["before" in change ? change.before : undefined, "after" in change ? change.after : undefined];
      return !isDeepStrictEqual(valueAt(before, rest), valueAt(after, rest));
    }),
  );
}
