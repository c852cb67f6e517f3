import type { LanguageModelV4FunctionTool } from "@ai-sdk/provider";
import type { ModelApi, ToolSchema } from "@factotum/agent-contract";
import { adaptTools } from "../schema/adapt-tools.ts";
import { cleanJson, type CleanText } from "./clean-text.ts";

/**
 * The tools in the SDK's shape, in the order given, each with a schema that the provider accepts; a tool without one is dropped (`adaptTools` says which).
 * `strict` is sent if the endpoint would otherwise make every optional argument required.
 */
export function renderTools(
  tools: readonly ToolSchema[],
  options: { readonly api: ModelApi; readonly clean: CleanText; readonly strict?: boolean },
): LanguageModelV4FunctionTool[] {
  const cleaned = tools.map((tool) => ({
    name: tool.name,
    description: options.clean(tool.description),
    parameters: cleanJson(tool.parameters, options.clean),
  }));
  return adaptTools(cleaned, options.api).tools.map(({ name, description, parameters }) => {
    const inputSchema = parameters as LanguageModelV4FunctionTool["inputSchema"];
    const rendered: LanguageModelV4FunctionTool = { type: "function", name, description, inputSchema };
    return options.strict === undefined ? rendered : { ...rendered, strict: options.strict };
  });
}
