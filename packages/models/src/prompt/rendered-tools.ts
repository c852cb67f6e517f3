import type { LanguageModelV4FunctionTool } from "@ai-sdk/provider";
import type { ToolSchema } from "@factotum/agent-contract";
import { estimateTokens } from "../estimate-tokens.ts";

/** The tools of a request as they are sent. */
export interface RenderedToolList {
  readonly tools: LanguageModelV4FunctionTool[];
  /** Their approximate share of the window, in tokens. */
  readonly tokens: number;
}

interface KeptList {
  readonly text: string;
  readonly tools: readonly ToolSchema[];
  readonly rendered: RenderedToolList;
}

/** Enough for agents that share a model, and a change of tools in between. */
const MOST_LISTS = 8;

/** Cache of the rendered tool lists used last: a session sends the same ones with every request, and adapting their schemas is expensive. */
export class RenderedTools {
  #kept: readonly KeptList[] = [];

  /** The rendered list; `render` is called for a list that is not cached. Lists are equal if they have the same schemas in the same order. */
  of(tools: readonly ToolSchema[], render: () => LanguageModelV4FunctionTool[]): RenderedToolList {
    const known = this.#kept.find((list) => isSame(list.tools, tools));
    if (known !== undefined) return known.rendered;
    // Sessions hold equal lists in objects of their own: as text they are compared in a twentieth of the time that adapting takes.
    const text = JSON.stringify(tools);
    const equal = this.#kept.find((list) => list.text === text);
    if (equal !== undefined) return equal.rendered;
    const list = render();
    const rendered = { tools: list, tokens: list.length === 0 ? 0 : estimateTokens(JSON.stringify(list)) };
    this.#kept = [{ tools, text, rendered }, ...this.#kept].slice(0, MOST_LISTS);
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
