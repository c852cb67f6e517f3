import type { AgentTool } from "@factotum/agent-contract";
import { matchesTool } from "@factotum/config";
import { createToolCall } from "./tool-call.ts";
import { createToolSearch } from "./tool-search.ts";

/** Tools that are deferred whatever their number, as entries of a tool list: a model seldom needs them, and every request would pay for them. */
const DEFERRED: readonly string[] = ["group:ui", "group:media", "group:automation", "group:agents", "sessions_*", "subagents"];

/** Tools of other sources than the product itself are all deferred beyond either limit. Bytes are those of their schemas and lines in a request. */
const MAX_ADDED_TOOLS = 24;
const MAX_ADDED_BYTES = 8_000;

/** The tools of a session. */
export interface ToolSet {
  /** In the request, in its order. */
  readonly offered: readonly AgentTool[];
  /** Reached through `tool_search` and `tool_call`, which are among the offered ones exactly if there are any. */
  readonly deferred: readonly AgentTool[];
}

/**
 * Decides which of the admitted tools the request holds. Both parts keep the order. `isReachable`: the policy denies neither `tool_search` nor `tool_call`;
 * otherwise deferred tools are left out.
 */
export function deferTools(
  tools: readonly AgentTool[],
  { sourceOf, isReachable }: { readonly sourceOf: (name: string) => string; readonly isReachable: boolean },
): ToolSet {
  const added = tools.filter(({ name }) => sourceOf(name) !== "core");
  const isOverBudget = added.length > MAX_ADDED_TOOLS || added.reduce((sum, tool) => sum + requestBytes(tool), 0) > MAX_ADDED_BYTES;
  const isDeferred = ({ name }: AgentTool): boolean =>
    sourceOf(name) === "core" ? DEFERRED.some((entry) => matchesTool(entry, name)) : isOverBudget;
  const deferred = tools.filter(isDeferred);
  const offered = tools.filter((tool) => !isDeferred(tool));
  if (deferred.length === 0 || !isReachable) return { offered, deferred: [] };
  return withCarriers(offered, deferred, sourceOf);
}

/** Core tools come first in a request, each part by name. */
function withCarriers(offered: readonly AgentTool[], deferred: readonly AgentTool[], sourceOf: (name: string) => string): ToolSet {
  const core = offered.filter(({ name }) => sourceOf(name) === "core");
  const carriers = [createToolCall({ offered, deferred }), createToolSearch(deferred)];
  const sorted = [...core, ...carriers].toSorted(({ name: one }, { name: other }) => (one < other ? -1 : 1));
  return { offered: [...sorted, ...offered.filter(({ name }) => sourceOf(name) !== "core")], deferred };
}

/** What a tool adds to a request: its schema, and its line in the prompt. */
function requestBytes({ name, summary, description, parameters }: AgentTool): number {
  return Buffer.byteLength(JSON.stringify({ name, description, parameters })) + Buffer.byteLength(`- ${name}: ${summary}\n`);
}
