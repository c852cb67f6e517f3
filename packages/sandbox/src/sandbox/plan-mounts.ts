import { relative, sep } from "node:path";
import type { PlannedMount } from "./sandbox-spec.ts";

/** A file or folder after its symbolic links were resolved. */
export interface ResolvedPath {
  /** As configured; absolute. */
  readonly given: string;
  readonly real: string;
  readonly kind: "file" | "folder";
}

/** The inputs of the plan. */
export interface MountInputs {
  /** Folders that the backend shows anyway, such as `/usr`. */
  readonly system: readonly string[];
  readonly workspace: { readonly path: string; readonly writable: boolean };
  readonly readOnly: readonly ResolvedPath[];
  readonly hidden: readonly ResolvedPath[];
}

/**
 * Plans what a sandbox shows, outer folders first: the backend mounts in this order, so an inner entry covers its part of an outer one. A hidden place is covered
 * only where something visible contains it. `undefined` if the workspace is a hidden place itself.
 */
export function planMounts({ system, workspace, readOnly, hidden }: MountInputs): readonly PlannedMount[] | undefined {
  if (hidden.some(({ real }) => real === workspace.path)) return undefined;
  const folders = readOnly.filter(
    (entry) => entry.real !== sep && !contains(workspace.path, entry.real) && !leadsIntoHidden(entry, hidden),
  );
  const visible: PlannedMount[] = [
    { type: workspace.writable ? "writable" : "read-only", path: workspace.path },
    ...new Map(folders.map(({ real }) => [real, { type: "read-only" as const, path: real }])).values(),
  ];
  const shown = [...system, ...visible.map(({ path }) => path)];
  const covered = hidden
    .filter(({ real }) => shown.some((path) => contains(path, real)))
    .map(({ real, kind }): PlannedMount => ({ type: kind === "folder" ? "empty-folder" : "empty-file", path: real }));
  return [...visible, ...covered].toSorted((one, other) => one.path.length - other.path.length);
}

/** True if `path` is `folder` or lies in it. Both absolute. */
export function contains(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === "" || (way !== ".." && !way.startsWith(`..${sep}`));
}

/**
 * True for a folder that symbolic links below a hidden place, or from elsewhere, lead into one: only what was configured inside of it stays visible, and a hidden
 * place itself never does.
 */
function leadsIntoHidden({ given, real }: ResolvedPath, hidden: readonly ResolvedPath[]): boolean {
  return hidden.some((place) => {
    if (!contains(place.real, real)) return false;
    const way = relative(place.real, real);
    return way === "" || ![place.given, place.real].some((base) => contains(base, given) && relative(base, given) === way);
  });
}
