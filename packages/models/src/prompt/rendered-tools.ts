import type { LanguageModelV4FunctionTool } from "@ai-sdk/provider";
import type { ToolSchema } from "@factotum/agent-contract";
import { estimateTokens } from "../estimate-tokens.ts";

/** The tools of a request as they are sent. */
export interface RenderedToolList {
  readonly tools: LanguageModelV4FunctionTool[];
  /** What they take of the window, roughly. */
  readonly tokens: number;
}

interface KeptList {
  readonly tools: readonly ToolSchema[];
  readonly rendered: RenderedToolList;
}

/** Agents that share a model, and a change of tools in between. */
const MOST_LISTS = 8;

/** What was rendered of the lists of tools that were used last: a session sends the same ones with every request, and checking their schemas costs. */
export class RenderedTools {
  #kept: readonly KeptList[] = [];

  /** The rendered list; `render` is asked for a list that is not known. Lists are the same when they hold the same schemas in the same order. */
  of(tools: readonly ToolSchema[], render: () => LanguageModelV4FunctionTool[]): RenderedToolList {
    const known = this.#kept.find((list) => isSame(list.tools, tools));
    if (known !== undefined) return known.rendered;
    const list = render();
    const rendered = { tools: list, tokens: list.length === 0 ? 0 : estimateTokens(JSON.stringify(list)) };
    this.#kept = [{ tools, rendered }, ...this.#kept].slice(0, MOST_LISTS);
    return rendered;
  }
}

function isSame(before: readonly ToolSchema[], now: readonly ToolSchema[]): boolean {
  return (
    before.length === now.length &&
    before.every((tool, index) => {
      const other = now[index];
      return tool.name === other?.name && tool.description === other.description && tool.parameters === other.parameters;
    })
  );
}
