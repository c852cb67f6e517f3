import { Ajv2020 } from "ajv/dist/2020.js";
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue, showJson } from "../../json.ts";
import type { RequestView, ToolView } from "../request-view.ts";
import { type AnthropicRule, bodyRule } from "../rule.ts";
import { firstOf } from "./field-rules.ts";

const TOOL_FIELDS = new Set([
  ..."name description input_schema type cache_control strict".split(" "),
  ..."eager_input_streaming defer_loading allowed_callers input_examples".split(" "),
]);
const PROPERTY_KEY = /^[a-zA-Z0-9_.-]{1,64}$/;

/** `validateSchema` checks the schema alone and does not cache it. */
const metaSchema = new Ajv2020({ strict: false, validateFormats: false, logger: false });

function schemaOf(tool: ToolView): JsonObject | undefined {
  const schema = tool.value["input_schema"];
  return isJsonObject(schema) ? schema : undefined;
}

/** Every `properties` object of a schema, at any depth. */
function* propertyMaps(schema: JsonValue): Generator<JsonObject> {
  if (isJsonArray(schema)) for (const item of schema) yield* propertyMaps(item);
  if (!isJsonObject(schema)) return;
  for (const [key, value] of Object.entries(schema)) {
    if (key === "enum" || key === "const" || key === "default" || key === "examples") continue;
    if (key !== "properties" || !isJsonObject(value)) {
      yield* propertyMaps(value);
      continue;
    }
    yield value;
    for (const property of Object.values(value)) yield* propertyMaps(property);
  }
}

function wrongChoice({ body, tools }: RequestView): string | undefined {
  const choice = body["tool_choice"];
  if (!isJsonObject(choice)) return undefined;
  const { type, name } = choice;
  if (type !== "auto" && type !== "any" && type !== "tool" && type !== "none") {
    return `tool_choice: Input tag '${showJson(type)}' found using 'type' does not match any of the expected tags: 'any', 'auto', 'none', 'tool'`;
  }
  if (tools.length === 0 && type !== "none") return "tool_choice may only be specified while providing tools.";
  return type === "tool" && !tools.some((tool) => tool.name === name) ? `Tool '${showJson(name)}' not found in provided tools` : undefined;
}

/** The tool block. */
export const TOOL_RULES: readonly AnthropicRule[] = [
  bodyRule({
    id: "tool-name",
    description: "A tool's name has 1 to 128 letters, digits, _ and -.",
    vendorText: "tools.….custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'",
    check: ({ tools }) =>
      firstOf(tools, ({ path, value }) => {
        if (!("name" in value)) return `${path}.name: Field required`;
        return typeof value["name"] === "string" && /^[a-zA-Z0-9_-]{1,128}$/.test(value["name"])
          ? undefined
          : `${path}.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'`;
      }),
  }),
  bodyRule({
    id: "tool-name-unique",
    description: "No two tools share a name.",
    vendorText: "tools: Tool names must be unique.",
    check: ({ tools }) => (new Set(tools.map(({ name }) => name)).size === tools.length ? undefined : "tools: Tool names must be unique."),
  }),
  bodyRule({
    id: "tool-unknown-field",
    description: "A tool has no field that the API does not know.",
    vendorText: "tools.….custom.…: Extra inputs are not permitted",
    check: ({ tools }) =>
      firstOf(tools, ({ path, value }) => {
        const extra = Object.keys(value).find((field) => !TOOL_FIELDS.has(field));
        return extra === undefined ? undefined : `${path}.${extra}: Extra inputs are not permitted`;
      }),
  }),
  bodyRule({
    id: "tool-schema-object",
    description: "A tool has an input schema, and its type is object.",
    vendorText: "tools.….custom.input_schema.type: Field required",
    check: ({ tools }) =>
      firstOf(tools, (tool) => {
        const schema = schemaOf(tool);
        if (schema === undefined) return `${tool.path}.input_schema: Field required`;
        if (!("type" in schema)) return `${tool.path}.input_schema.type: Field required`;
        return schema["type"] === "object" ? undefined : `${tool.path}.input_schema.type: Input should be 'object'`;
      }),
  }),
  bodyRule({
    id: "tool-schema-valid",
    description: "An input schema is JSON Schema, draft 2020-12.",
    vendorText: "tools.….custom.input_schema: JSON schema is invalid. It must match JSON Schema draft 2020-12 …",
    check: ({ tools }) =>
      firstOf(tools, (tool) => {
        // Schemas of older drafts are accepted as long as the keywords mean the same.
        const { $schema: _draft, ...schema } = schemaOf(tool) ?? {};
        return metaSchema.validateSchema(schema) === true
          ? undefined
          : `${tool.path}.input_schema: JSON schema is invalid. It must match JSON Schema draft 2020-12 (https://json-schema.org/draft/2020-12).`;
      }),
  }),
  bodyRule({
    id: "tool-schema-combinator",
    description: "An input schema has no oneOf, allOf or anyOf at its top.",
    vendorText: "tools.….custom.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level",
    check: ({ tools }) =>
      firstOf(tools, (tool) =>
        ["oneOf", "allOf", "anyOf"].some((keyword) => keyword in (schemaOf(tool) ?? {}))
          ? `${tool.path}.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level`
          : undefined,
      ),
  }),
  bodyRule({
    id: "tool-property-key",
    description: "A property's key has 1 to 64 letters, digits, _, . and -.",
    vendorText: "tools.….custom.input_schema.properties: Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'",
    check: ({ tools }) =>
      firstOf(tools, (tool) =>
        [...propertyMaps(schemaOf(tool) ?? {})].some((properties) => Object.keys(properties).some((key) => !PROPERTY_KEY.test(key)))
          ? `${tool.path}.input_schema.properties: Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'`
          : undefined,
      ),
  }),
  bodyRule({
    id: "tool-choice",
    description: "A tool choice is of a known kind and names a tool of the request.",
    vendorText: "Tool '…' not found in provided tools",
    check: wrongChoice,
  }),
];
