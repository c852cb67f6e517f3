import { TOOL_CALL } from "@factotum/agent-core";

/** The tool that finds deferred tools. */
export const TOOL_SEARCH = "tool_search";

/** The two tools through which a model reaches deferred tools. */
export const CARRIERS: readonly string[] = [TOOL_CALL, TOOL_SEARCH];

/**
 * True for a carrier. They do nothing of their own, so an allow list need not name them, and one that does allows nothing more: each call they carry is
 * decided on by the name of the tool that it runs.
 */
export function isCarrier(name: string): boolean {
  return CARRIERS.includes(name);
}
