import { nearestName } from "@factotum/agent-contract";
import { TOOL_NAMES } from "@factotum/config";
import type { AgentRuntime } from "./agent-directory.ts";

/** Which of these names no tool has, with the nearest one of each, as a sentence; `undefined` if all are known. A source that was not asked yet may have any. */
export function unknownTools(names: readonly string[], agent: Pick<AgentRuntime, "loadedTools" | "unloadedPrefixes">): string | undefined {
  const known = new Set([...agent.loadedTools().map(({ name }) => name), ...TOOL_NAMES]);
  const prefixes = agent.unloadedPrefixes();
  const unknown = names.filter((name) => !known.has(name) && !prefixes.some((prefix) => name.startsWith(prefix)));
  if (unknown.length === 0) return undefined;
  const shown = unknown.map((name) => {
    const nearest = nearestName(name, known);
    return nearest === undefined ? JSON.stringify(name) : `${JSON.stringify(name)} (did you mean ${nearest}?)`;
  });
  return `There is no tool ${shown.join(", ")}.`;
}
