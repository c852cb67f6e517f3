import type { LanguageModelV4FunctionTool } from "@ai-sdk/provider";
import type { ToolSchema } from "@factotum/agent-contract";

interface KeptList {
  readonly tools: readonly ToolSchema[];
  readonly rendered: LanguageModelV4FunctionTool[];
}

/** Agents that share a model, and a change of tools in between. */
const MOST_LISTS = 8;

/** What was rendered of the lists of tools that were used last: a session sends the same ones with every request, and checking their schemas costs. */
export class RenderedTools {
  #kept: readonly KeptList[] = [];

  /** The rendered list; `render` is asked for a list that is not known. Lists are the same when they hold the same schemas in the same order. */
  of(tools: readonly ToolSchema[], render: () => LanguageModelV4FunctionTool[]): LanguageModelV4FunctionTool[] {
    const known = this.#kept.find((list) => isSame(list.tools, tools));
    if (known !== undefined) return known.rendered;
    const rendered = render();
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
