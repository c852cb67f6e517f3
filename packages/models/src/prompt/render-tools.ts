import type { LanguageModelV4FunctionTool } from "@ai-sdk/provider";
import type { JsonSchema, JsonValue, ToolSchema } from "@factotum/agent-contract";
import { cleanJson, type CleanText } from "./clean-text.ts";

const COMBINATORS = ["anyOf", "oneOf", "allOf"] as const;

/**
 * The tools in the SDK's shape, in the order given. Every schema gets `type: "object"` and `properties`, which all providers want at the
 * top, and loses a combinator there, which most refuse; the provider packages drop what their own endpoint does not take of the rest, so arguments are validated by the tools themselves.
 * `strict` is sent where the endpoint would otherwise make every optional argument required.
 */
export function renderTools(
  tools: readonly ToolSchema[],
  options: { readonly clean: CleanText; readonly strict?: boolean },
): LanguageModelV4FunctionTool[] {
  return tools.map((tool) => {
    const inputSchema = flattenTop(cleanJson(tool.parameters, options.clean)) as LanguageModelV4FunctionTool["inputSchema"];
    const rendered: LanguageModelV4FunctionTool = {
      type: "function",
      name: tool.name,
      description: options.clean(tool.description),
      inputSchema,
    };
    return options.strict === undefined ? rendered : { ...rendered, strict: options.strict };
  });
}

/** The variants' properties stand beside the others, so that the model still hears of them. */
function flattenTop({ $schema: _dialect, ...schema }: JsonSchema): JsonSchema {
  const variants = COMBINATORS.flatMap((key) => asList(schema[key]));
  const inherited = variants.flatMap((variant) => Object.entries(asObject(asObject(variant).properties)));
  const rest = Object.entries(schema).filter(([key]) => !COMBINATORS.some((combinator) => combinator === key));
  const flat = { type: "object", properties: {}, ...Object.fromEntries(rest) };
  return inherited.length === 0 ? flat : { ...flat, properties: { ...Object.fromEntries(inherited), ...asObject(flat.properties) } };
}

function asObject(value: JsonValue | undefined): JsonSchema {
  return typeof value === "object" && value !== null && !isList(value) ? value : {};
}

function asList(value: JsonValue | undefined): readonly JsonValue[] {
  return value !== undefined && isList(value) ? value : [];
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}
