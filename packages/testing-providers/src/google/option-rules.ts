import { Ajv2020 } from "ajv/dist/2020.js";
import { isJsonArray, isJsonObject, type JsonObject } from "../json.ts";
import { bodyRule, type Finding, firstOf, type WireRule } from "../strict/rule.ts";
import type { DeclarationView, GoogleView } from "./google-view.ts";

const FUNCTION_NAME = /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}$/;

const metaSchema = new Ajv2020({ strict: false, validateFormats: false, logger: false });

function say(message: string): Finding {
  return { message };
}

/** A part of a declaration's schema and its path, as the vendor writes it. */
interface Place {
  readonly path: string;
  readonly schema: JsonObject;
  readonly type: string;
}

function* placesOf(schema: JsonObject, path: string): Generator<Place> {
  const { type, items, properties, anyOf } = schema;
  yield { path, schema, type: typeof type === "string" ? type.toUpperCase() : "" };
  if (isJsonObject(items)) yield* placesOf(items, `${path}.items`);
  if (isJsonObject(properties)) {
    for (const [name, inner] of Object.entries(properties)) if (isJsonObject(inner)) yield* placesOf(inner, `${path}.properties[${name}]`);
  }
  if (isJsonArray(anyOf)) {
    for (const [index, inner] of anyOf.entries()) if (isJsonObject(inner)) yield* placesOf(inner, `${path}.any_of[${index}]`);
  }
}

function* schemasOf(declarations: readonly DeclarationView[]): Generator<Place> {
  for (const { path, value } of declarations)
    if (isJsonObject(value["parameters"])) yield* placesOf(value["parameters"], `${path}.parameters`);
}

function numberOf(value: unknown): number | undefined {
  return value === undefined ? undefined : Number(value);
}

/** Declarations of functions and their schemas. */
export const DECLARATION_RULES: readonly WireRule<GoogleView>[] = [
  bodyRule<GoogleView>({
    id: "function-name",
    description: "A function's name begins with a letter or _, and has at most 128 letters, digits, _, ., : and -.",
    vendorText:
      "* GenerateContentRequest.tools[…].function_declarations[…].name: Invalid function name. Must start with a letter or an underscore. …",
    check: ({ declarations }) =>
      firstOf(declarations, ({ path, name }) =>
        FUNCTION_NAME.test(name)
          ? undefined
          : say(
              `* ${path}.name: Invalid function name. Must start with a letter or an underscore. Must be alphanumeric (a-z, A-Z, 0-9), ` +
                "underscores (_), dots (.), colons (:), or dashes (-), with a maximum length of 128.\n",
            ),
      ),
  }),
  bodyRule<GoogleView>({
    id: "function-duplicate",
    description: "No two functions share a name.",
    vendorText: "Duplicate function declaration found: …",
    check: ({ declarations }) =>
      firstOf(declarations.entries(), ([index, { name }]) =>
        declarations.findIndex((other) => other.name === name) < index ? say(`Duplicate function declaration found: ${name}`) : undefined,
      ),
  }),
  bodyRule<GoogleView>({
    id: "parameters-both",
    description: "A function's parameters are written in the vendor's subset or as JSON Schema, not both.",
    vendorText: "parametersJsonSchema: This field is mutually exclusive with `parameters`. (reference of FunctionDeclaration)",
    check: ({ declarations }) =>
      firstOf(declarations, ({ path, value }) =>
        value["parameters"] !== undefined && value["parametersJsonSchema"] !== undefined
          ? say(`* ${path}: parameters_json_schema is mutually exclusive with parameters\n`)
          : undefined,
      ),
  }),
  bodyRule<GoogleView>({
    id: "json-schema",
    description: "Parameters that are written as JSON Schema are an object's, and valid.",
    vendorText:
      "parametersJsonSchema: Describes the parameters to the function in JSON Schema format. The schema must describe an object … (reference)",
    check: ({ declarations }) =>
      firstOf(declarations, ({ path, value: { parametersJsonSchema: schema } }) => {
        if (!isJsonObject(schema)) return undefined;
        const { $schema: _draft, ...rest } = schema;
        return rest["type"] === "object" && metaSchema.validateSchema(rest) === true
          ? undefined
          : say(`* ${path}.parameters_json_schema: the schema must be valid and describe an object\n`);
      }),
  }),
  bodyRule<GoogleView>({
    id: "schema-items",
    description: "A list says what its items are.",
    vendorText: "* GenerateContentRequest.tools[…].function_declarations[…].parameters.properties[…].items: missing field.",
    check: ({ declarations }) =>
      firstOf(schemasOf(declarations), ({ path, schema, type }) =>
        type === "ARRAY" && schema["items"] === undefined ? say(`* ${path}.items: missing field.\n`) : undefined,
      ),
  }),
  bodyRule<GoogleView>({
    id: "schema-properties",
    description: "An object has properties; a function that takes nothing has no parameters at all.",
    vendorText: "* GenerateContentRequest.tools[…].function_declarations[…].parameters.properties: should be non-empty for OBJECT type",
    check: ({ declarations }) =>
      firstOf(schemasOf(declarations), ({ path, schema: { properties }, type }) =>
        type === "OBJECT" && (!isJsonObject(properties) || Object.keys(properties).length === 0)
          ? say(`* ${path}.properties: should be non-empty for OBJECT type\n`)
          : undefined,
      ),
  }),
  bodyRule<GoogleView>({
    id: "schema-enum",
    description: "Only strings have a list of values, and none of them is empty.",
    vendorText: "* GenerateContentRequest.tools[…].function_declarations[…].parameters.properties[…].enum: only allowed for STRING type",
    check: ({ declarations }) =>
      firstOf(schemasOf(declarations), ({ path, schema, type }) => {
        const values = schema["enum"];
        if (!isJsonArray(values)) return undefined;
        if (type !== "STRING") return say(`* ${path}.enum: only allowed for STRING type\n`);
        const empty = values.indexOf("");
        return empty === -1 ? undefined : say(`* ${path}.enum[${empty}]: cannot be empty\n`);
      }),
  }),
  bodyRule<GoogleView>({
    id: "schema-required",
    description: "What is required is a property.",
    vendorText: "* GenerateContentRequest.tools[…].function_declarations[…].parameters.required[…]: property is not defined",
    check: ({ declarations }) =>
      firstOf(schemasOf(declarations), ({ path, schema: { required, properties } }) => {
        if (!isJsonArray(required)) return undefined;
        const known = isJsonObject(properties) ? properties : {};
        const index = required.findIndex((name) => typeof name === "string" && !Object.hasOwn(known, name));
        return index === -1 ? undefined : say(`* ${path}.required[${index}]: property is not defined\n`);
      }),
  }),
  bodyRule<GoogleView>({
    id: "schema-format",
    description: "A string has no format but enum and date-time.",
    vendorText: "* GenerateContentRequest.tools[…]….format: only 'enum' and 'date-time' are supported for STRING type",
    check: ({ declarations }) =>
      firstOf(schemasOf(declarations), ({ path, schema: { format }, type }) =>
        type === "STRING" && typeof format === "string" && format !== "enum" && format !== "date-time"
          ? say(`* ${path}.format: only 'enum' and 'date-time' are supported for STRING type\n`)
          : undefined,
      ),
  }),
  bodyRule<GoogleView>({
    id: "function-config",
    description: "How functions are called is said only when there are functions.",
    vendorText: "Function calling config is set without function_declarations.",
    check: ({ body: { toolConfig }, declarations }) =>
      isJsonObject(toolConfig) && toolConfig["functionCallingConfig"] !== undefined && declarations.length === 0
        ? say("Function calling config is set without function_declarations.")
        : undefined,
  }),
];

/** Rules that depend on the model, and the limits of options. */
export const OPTION_RULES: readonly WireRule<GoogleView>[] = [
  bodyRule<GoogleView>({
    id: "max-output",
    description: "maxOutputTokens is at least 1 and at most what the model can give.",
    vendorText:
      "Unable to submit request because it has a maxOutputTokens value of … but the supported range is from 1 (inclusive) to … (exclusive). …",
    check: ({ generation, model }) => {
      const asked = numberOf(generation["maxOutputTokens"]);
      const most = model?.maxOutput ?? Number.POSITIVE_INFINITY;
      return asked !== undefined && (asked < 1 || asked > most)
        ? say(
            `Unable to submit request because it has a maxOutputTokens value of ${asked} but the supported range is from 1 (inclusive) ` +
              `to ${most + 1} (exclusive). Update the value and try again.`,
          )
        : undefined;
    },
  }),
  bodyRule<GoogleView>({
    id: "temperature",
    description: "The temperature lies between 0 and 2.",
    vendorText: "* GenerateContentRequest.generation_config.temperature: temperature must be in the range [0.0, 2.0].",
    check: ({ generation: { temperature } }) =>
      typeof temperature === "number" && (temperature < 0 || temperature > 2)
        ? say("* GenerateContentRequest.generation_config.temperature: temperature must be in the range [0.0, 2.0].\n")
        : undefined,
  }),
  bodyRule<GoogleView>({
    id: "stop-sequences",
    description: "There are at most five stop sequences.",
    vendorText: "The set of character sequences (up to 5) that will stop output generation. (reference of GenerationConfig)",
    check: ({ generation: { stopSequences } }) =>
      isJsonArray(stopSequences) && stopSequences.length > 5
        ? say("* GenerateContentRequest.generation_config.stop_sequences: at most 5 are allowed\n")
        : undefined,
  }),
  bodyRule<GoogleView>({
    id: "thinking-both",
    description: "Thought has a budget or a level, not both.",
    vendorText: "You can only set only one of thinking budget and thinking level.",
    check: ({ generation: { thinkingConfig } }) =>
      isJsonObject(thinkingConfig) && thinkingConfig["thinkingBudget"] !== undefined && thinkingConfig["thinkingLevel"] !== undefined
        ? say("You can only set only one of thinking budget and thinking level.")
        : undefined,
  }),
  bodyRule<GoogleView>({
    id: "thinking-level",
    description: "Only Gemini 3 takes a level of thought.",
    vendorText: "Thinking level is not supported for this model.",
    check: ({ generation: { thinkingConfig }, model }) =>
      isJsonObject(thinkingConfig) &&
      thinkingConfig["thinkingLevel"] !== undefined &&
      thinkingConfig["thinkingBudget"] === undefined &&
      model?.thinkingBudget !== undefined
        ? say("Thinking level is not supported for this model.")
        : undefined,
  }),
  bodyRule<GoogleView>({
    id: "thinking-budget",
    description: "A budget of thought lies in the model's range; 0 turns it off where that is possible, -1 leaves it to the model.",
    vendorText: "The thinking budget … is invalid. Please choose a value between … and ….",
    check: ({ generation: { thinkingConfig }, model }) => {
      const budget = isJsonObject(thinkingConfig) ? numberOf(thinkingConfig["thinkingBudget"]) : undefined;
      const range = model?.thinkingBudget;
      if (budget === undefined || range === undefined || budget === -1) return undefined;
      if (budget === 0) return range.mayBeOff ? undefined : say("Budget 0 is invalid. This model only works in thinking mode.");
      return budget < range.min || budget > range.max
        ? say(`The thinking budget ${budget} is invalid. Please choose a value between ${range.min} and ${range.max}.`)
        : undefined;
    },
  }),
  bodyRule<GoogleView>({
    id: "prompt-length",
    description: "The prompt fits into the model's window.",
    vendorText: "The input token count (…) exceeds the maximum number of tokens allowed (…).",
    check: ({ model, promptTokens }) =>
      model !== undefined && promptTokens > model.contextWindow
        ? say(`The input token count (${promptTokens}) exceeds the maximum number of tokens allowed (${model.contextWindow}).`)
        : undefined,
  }),
];
