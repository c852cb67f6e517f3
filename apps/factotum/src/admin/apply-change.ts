import type { ConfigControl } from "@factotum/gateway";

/**
 * Applies a written configuration; `force`, also if the file is the same, since a package has changed. Resolves with what is wrong with it and was not before, or
 * with everything that is if it cannot be used.
 */
export async function applyChange(
  control: Pick<ConfigControl, "reload" | "report">,
  options: { readonly force?: boolean } = {},
): Promise<readonly string[]> {
  const known = new Set(control.report().problems);
  const { type, problems } = await control.reload(options);
  return type === "kept" ? problems : problems.filter((problem) => !known.has(problem));
}
