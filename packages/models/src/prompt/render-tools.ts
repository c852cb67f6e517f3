import type { LanguageModelV4FunctionTool } from "@ai-sdk/provider";
import type { ToolSchema } from "@factotum/agent-contract";
import { cleanJson, type CleanText } from "./clean-text.ts";

/**
 * The tools in the SDK's shape, in the order given. Every schema gets `type: "object"` and `properties`, which all providers want at the
 * top; the provider packages drop what their own endpoint does not take of the rest, so arguments are validated by the tools themselves.
 * `strict` is sent where the endpoint would otherwise make every optional argument required.
 */
export function renderTools(
  tools: readonly ToolSchema[],
  options: { readonly clean: CleanText; readonly strict?: boolean },
): LanguageModelV4FunctionTool[] {
  return tools.map((tool) => {
    const { $schema: _dialect, ...parameters } = cleanJson(tool.parameters, options.clean);
    const inputSchema = { type: "object", properties: {}, ...parameters } as LanguageModelV4FunctionTool["inputSchema"];
    const rendered: LanguageModelV4FunctionTool = {
      type: "function",
      name: tool.name,
      description: options.clean(tool.description),
      inputSchema,
    };
    return options.strict === undefined ? rendered : { ...rendered, strict: options.strict };
  });
}
