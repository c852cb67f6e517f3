import { Ajv2020 } from "ajv/dist/2020.js";
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue, showJson } from "../json.ts";
import { bodyRule, type Finding, firstOf, type WireRule } from "../strict/rule.ts";

/** A function as both endpoints declare it; chat nests it, responses does not. */
interface FunctionView {
  /** `tools[0].function.parameters`, `tools[0].parameters`. */
  readonly param: string;
  readonly name: string;
  /** Undefined if omitted: the function has no parameters then. */
  readonly parameters: JsonObject | undefined;
  readonly strict: boolean;
}

export interface FunctionsView {
  readonly functions: readonly FunctionView[];
}

const TOP_LEVEL_BANNED = ["oneOf", "anyOf", "allOf", "enum", "not"];
/** Keywords that strict mode does not support, by its documentation. */
const STRICT_BANNED = ["allOf", "not", "dependentRequired", "dependentSchemas", "if", "then", "else", "oneOf", "patternProperties"];

const metaSchema = new Ajv2020({ strict: false, validateFormats: false, logger: false });

/** A part of a schema and its path, as the vendor writes it: `('properties', 'path')`. */
interface Place {
  readonly context: string;
  readonly schema: JsonObject;
}

function* placesOf(schema: JsonObject, steps: readonly string[] = []): Generator<Place> {
  yield { context: `(${steps.map((step) => `'${step}'`).join(", ")}${steps.length === 1 ? "," : ""})`, schema };
  for (const key of ["properties", "$defs", "definitions"]) {
    const map = schema[key];
    if (!isJsonObject(map)) continue;
    for (const [name, inner] of Object.entries(map)) if (isJsonObject(inner)) yield* placesOf(inner, [...steps, key, name]);
  }
  const { items } = schema;
  if (isJsonObject(items)) yield* placesOf(items, [...steps, "items"]);
  for (const key of ["anyOf", "oneOf", "allOf"]) {
    const list = schema[key];
    if (!isJsonArray(list)) continue;
    for (const [index, inner] of list.entries()) if (isJsonObject(inner)) yield* placesOf(inner, [...steps, key, String(index)]);
  }
}

function isOfType(schema: JsonObject, type: string): boolean {
  const own = schema["type"];
  return own === type || (isJsonArray(own) && own.includes(type));
}

function invalid(fn: FunctionView, words: string): Finding {
  return { message: `Invalid schema for function '${fn.name}': ${words}`, param: fn.param };
}

/** The first invalid position of any function; only of strict ones if requested. */
function firstWrong(view: FunctionsView, check: (place: Place) => string | undefined, options: { strict: boolean }): Finding | undefined {
  return firstOf(view.functions, (fn) => {
    if (fn.parameters === undefined || (options.strict && !fn.strict)) return undefined;
    return firstOf(placesOf(fn.parameters), (place) => {
      const words = check(place);
      return words === undefined ? undefined : invalid(fn, `In context=${place.context}, ${words}`);
    });
  });
}

function isStrictObject({ schema }: Place): boolean {
  return isOfType(schema, "object") || "properties" in schema;
}

const CODE = "invalid_function_parameters";

/** Rules for function schemas, and for strict mode. */
export const FUNCTION_SCHEMA_RULES: readonly WireRule<FunctionsView>[] = [
  bodyRule<FunctionsView>({
    id: "schema-object",
    description: "A function's parameters are an object.",
    vendorText: "Invalid schema for function '…': schema must be a JSON Schema of 'type: \"object\"', got 'type: \"…\"'.",
    code: CODE,
    check: ({ functions }) =>
      firstOf(functions, (fn) =>
        fn.parameters === undefined || fn.parameters["type"] === "object" || TOP_LEVEL_BANNED.some((key) => key in (fn.parameters ?? {}))
          ? undefined
          : invalid(fn, `schema must be a JSON Schema of 'type: "object"', got 'type: "${showJson(fn.parameters["type"] ?? "None")}"'.`),
      ),
  }),
  bodyRule<FunctionsView>({
    id: "schema-combinator",
    description: "Parameters have no combinator, enum or not at their top.",
    vendorText:
      "Invalid schema for function '…': schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level.",
    code: CODE,
    check: ({ functions }) =>
      firstOf(functions, (fn) =>
        TOP_LEVEL_BANNED.some((key) => key in (fn.parameters ?? {}))
          ? invalid(fn, "schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level.")
          : undefined,
      ),
  }),
  bodyRule<FunctionsView>({
    id: "schema-valid",
    description: "Parameters are JSON Schema.",
    vendorText: "Invalid schema for function '…': … is not valid under any of the given schemas.",
    code: CODE,
    check: ({ functions }) =>
      firstOf(functions, (fn) => {
        // Schemas of older drafts are accepted if the keywords mean the same.
        const { $schema: _draft, ...schema } = fn.parameters ?? {};
        return metaSchema.validateSchema(schema) === true ? undefined : invalid(fn, "it is not valid under any of the given schemas.");
      }),
  }),
  bodyRule<FunctionsView>({
    id: "schema-items",
    description: "A list says what its items are.",
    vendorText: "Invalid schema for function '…': In context=…, array schema missing items.",
    code: CODE,
    check: (view) =>
      firstWrong(view, ({ schema }) => (isOfType(schema, "array") && !("items" in schema) ? "array schema missing items." : undefined), {
        strict: false,
      }),
  }),
  bodyRule<FunctionsView>({
    id: "strict-additional",
    description: "In strict mode no object takes additional properties, and says so.",
    vendorText: "Invalid schema for function '…': In context=…, 'additionalProperties' is required to be supplied and to be false.",
    code: CODE,
    check: (view) =>
      firstWrong(
        view,
        (place) =>
          isStrictObject(place) && place.schema["additionalProperties"] !== false
            ? "'additionalProperties' is required to be supplied and to be false."
            : undefined,
        { strict: true },
      ),
  }),
  bodyRule<FunctionsView>({
    id: "strict-required",
    description: "In strict mode every property is required; what may be left out is a union with null.",
    vendorText: "… 'required' is required to be supplied and to be an array including every key in properties. Missing '…'.",
    code: CODE,
    check: (view) =>
      firstWrong(
        view,
        ({ schema: { properties, required } }) => {
          const listed: readonly JsonValue[] = isJsonArray(required) ? required : [];
          const missing = Object.keys(isJsonObject(properties) ? properties : {}).find((key) => !listed.includes(key));
          return missing === undefined
            ? undefined
            : `'required' is required to be supplied and to be an array including every key in properties. Missing '${missing}'.`;
        },
        { strict: true },
      ),
  }),
  bodyRule<FunctionsView>({
    id: "strict-keyword",
    description: "In strict mode a schema has no word that is not supported there.",
    vendorText: "Invalid schema for function '…': In context=…, '…' is not permitted.",
    code: CODE,
    check: (view) =>
      firstWrong(
        view,
        ({ schema, context }) => {
          const banned = STRICT_BANNED.find((key) => key in schema && !(context === "()" && TOP_LEVEL_BANNED.includes(key)));
          return banned === undefined ? undefined : `'${banned}' is not permitted.`;
        },
        { strict: true },
      ),
  }),
];
