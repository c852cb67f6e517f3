import { matchesTool } from "@factotum/config";
import type { TaskBounds } from "@factotum/store";

/** True if a run that is bound like this may call a tool of this name. */
export function isWithinBounds(name: string, { tools, withoutTools = [] }: Pick<TaskBounds, "tools" | "withoutTools">): boolean {
  return tools?.includes(name) !== false && !withoutTools.some((entry) => matchesTool(entry, name));
}
