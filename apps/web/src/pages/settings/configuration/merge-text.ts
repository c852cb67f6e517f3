import { applyPatch, structuredPatch } from "diff";

/** Texts that have little in common take long to compare, in milliseconds. */
const TIMEOUT_MS = 500;

/** `theirs` with the changes between `before` and `mine`; `undefined` if both changed the same place. */
export function mergeText(before: string, mine: string, theirs: string): string | undefined {
  const patch = structuredPatch("", "", before, mine, "", "", { context: 1, timeout: TIMEOUT_MS });
  if (patch === undefined) return undefined;
  const merged = applyPatch(theirs, patch);
  return merged === false ? undefined : merged;
}
