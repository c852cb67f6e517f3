import type { AgentTool, Logger, ToolSource } from "@factotum/agent-contract";
import type { PromptFacts } from "@factotum/agent-core";
import { isCarrier } from "./deferred/carriers.ts";

/** The tools of a gateway and their sources, as they are now. */
export interface CollectedTools {
  readonly tools: readonly AgentTool[];
  readonly originOf: (name: string) => PromptFacts["tools"][number]["origin"];
  /** The id of a tool's source; `core` for the built-in ones and those that carry calls of others. */
  readonly sourceOf: (name: string) => string;
}

/** The tools by name, each with the id of its source. */
type FoundTools = ReadonlyMap<string, { readonly tool: AgentTool; readonly source: string }>;

/**
 * Combines the tools of all sources, in order, and again when a source provides other ones. A tool whose name is taken by an earlier one is dropped, and logged.
 */
export function collectTools(sources: readonly ToolSource[], { logger }: { readonly logger: Logger }): CollectedTools {
  let lists: readonly (readonly AgentTool[])[] = [];
  let found: FoundTools = new Map();
  let all: readonly AgentTool[] = [];
  const current = (): FoundTools => {
    if (lists.length === sources.length && sources.every(({ tools }, index) => tools === lists[index])) return found;
    lists = sources.map(({ tools }) => tools);
    found = findTools(sources, logger);
    all = [...found.values()].map(({ tool }) => tool);
    return found;
  };
  const sourceOf = (name: string): string => current().get(name)?.source ?? "core";
  return {
    get tools(): readonly AgentTool[] {
      current();
      return all;
    },
    originOf: (name) => (sourceOf(name) === "core" ? "core" : "plugin"),
    sourceOf,
  };
}

function findTools(sources: readonly ToolSource[], logger: Logger): FoundTools {
  const found = new Map<string, { readonly tool: AgentTool; readonly source: string }>();
  for (const { id, tools } of sources) {
    for (const tool of tools) {
      const earlier = isCarrier(tool.name) ? { source: "core" } : found.get(tool.name);
      if (earlier === undefined) found.set(tool.name, { tool, source: id });
      else
        logger.warn("A tool was left out, because another source has one of its name", {
          tool: tool.name,
          source: id,
          kept: earlier.source,
        });
    }
  }
  return found;
}
