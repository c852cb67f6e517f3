import type { AgentTool, Logger, ToolSource } from "@factotum/agent-contract";
import type { PromptFacts } from "@factotum/agent-core";
import { isCarrier } from "./deferred/carriers.ts";

/** The tools of a gateway and their sources. */
export interface CollectedTools {
  readonly tools: readonly AgentTool[];
  readonly originOf: (name: string) => PromptFacts["tools"][number]["origin"];
  /** The id of a tool's source; `core` for the built-in ones and those that carry calls of others. */
  readonly sourceOf: (name: string) => string;
}

/** Combines the tools of all sources, in order. A tool whose name is taken by an earlier one is dropped, and logged. */
export function collectTools(sources: readonly ToolSource[], { logger }: { readonly logger: Logger }): CollectedTools {
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
  const sourceOf = (name: string): string => found.get(name)?.source ?? "core";
  return {
    tools: [...found.values()].map(({ tool }) => tool),
    originOf: (name) => (sourceOf(name) === "core" ? "core" : "plugin"),
    sourceOf,
  };
}
