import { Ajv2020, type ErrorObject } from "ajv/dist/2020.js";
import type { JsonObject, JsonValue } from "../json.ts";

export type ShapeFaultType =
  | "unknown-field"
  | "field-missing"
  | "field-type"
  | "field-value"
  | "string-length"
  | "string-pattern"
  | "list-length"
  | "number-range";

/** One difference between a body and the schema of its API. */
export interface ShapeFault {
  readonly type: ShapeFaultType;
  /** To the field that is wrong, missing or too much. */
  readonly path: readonly (string | number)[];
  /** Of the field; undefined when it is missing. */
  readonly value: JsonValue | undefined;
  /** The schema's expectation: type names, allowed values, a limit, a pattern. */
  readonly expected: readonly (string | number)[];
  /** For limits: whether the value is above it. */
  readonly above: boolean;
}

const TYPES: Readonly<Record<string, ShapeFaultType>> = {
  additionalProperties: "unknown-field",
  required: "field-missing",
  type: "field-type",
  enum: "field-value",
  const: "field-value",
  discriminator: "field-value",
  maxLength: "string-length",
  minLength: "string-length",
  pattern: "string-pattern",
  maxItems: "list-length",
  minItems: "list-length",
  maximum: "number-range",
  minimum: "number-range",
};

/**
 * Compiles the JSON Schema of a request into a check that yields every fault, in the order of the body. Tagged unions are written with
 * `discriminator`, so that a wrong tag is one fault and not one for each branch.
 *
 * @throws Error when the schema itself is wrong.
 */
export function createShapeCheck(schema: JsonObject): (body: JsonObject) => readonly ShapeFault[] {
  const ajv = new Ajv2020({ allErrors: true, discriminator: true, strict: false, verbose: true, validateFormats: false });
  const validate = ajv.compile(schema);
  return (body) => (validate(body) ? [] : (validate.errors ?? []).flatMap((error) => toShapeFault(error, body)));
}

function toShapeFault(error: ErrorObject, body: JsonObject): ShapeFault[] {
  const type = TYPES[error.keyword];
  if (type === undefined) return []; // `if`, `anyOf` and the like: what is wrong inside is reported, too
  const params = error.params as Readonly<Record<string, unknown>>;
  const steps = error.instancePath.split("/").slice(1).map(unescapeStep);
  const field =
    params["missingProperty"] ?? params["additionalProperty"] ?? (error.keyword === "discriminator" ? params["tag"] : undefined);
  const names = typeof field === "string" ? [...steps, field] : steps;
  const path = numberSteps(names, body);
  const value = valueAt(path, body);
  const missing = error.keyword === "discriminator" && value === undefined;
  const mistyped = error.keyword === "discriminator" && params["error"] === "tag";
  return [
    {
      type: missing ? "field-missing" : mistyped ? "field-type" : type,
      path,
      value,
      expected: mistyped ? ["string"] : expectedOf(error, params),
      above: error.keyword.startsWith("max"),
    },
  ];
}

function expectedOf(error: ErrorObject, params: Readonly<Record<string, unknown>>): readonly (string | number)[] {
  if (error.keyword === "discriminator") return tagsOf(error);
  const wanted = params["type"] ?? params["allowedValues"] ?? params["allowedValue"] ?? params["limit"] ?? params["pattern"];
  return [wanted].flat().flatMap((item) => (typeof item === "string" || typeof item === "number" ? [item] : []));
}

function tagsOf(error: ErrorObject): string[] {
  const union = error.parentSchema as {
    discriminator?: { propertyName?: string };
    oneOf?: readonly { properties?: Record<string, { const?: string; enum?: string[] }> }[];
  };
  const tag = union.discriminator?.propertyName ?? "";
  return (union.oneOf ?? []).flatMap(({ properties }) => properties?.[tag]?.enum ?? [properties?.[tag]?.const ?? ""]);
}

function unescapeStep(step: string): string {
  return step.replaceAll("~1", "/").replaceAll("~0", "~");
}

/** Positions in lists become numbers, so that `messages/0` and a field called `0` are not the same. */
function numberSteps(steps: readonly string[], body: JsonValue): (string | number)[] {
  let value: JsonValue | undefined = body;
  return steps.map((step) => {
    const position = Array.isArray(value) ? Number(step) : step;
    value = childOf(value, position);
    return position;
  });
}

function valueAt(path: readonly (string | number)[], body: JsonValue): JsonValue | undefined {
  return path.reduce<JsonValue | undefined>(childOf, body);
}

function childOf(value: JsonValue | undefined, step: string | number): JsonValue | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  return Object.hasOwn(value, step) ? (value as Readonly<Record<string | number, JsonValue>>)[step] : undefined;
}

/** `messages[0].content[1].type`, as OpenAI and Google write a place. */
export function bracketPath(path: readonly (string | number)[]): string {
  return path.reduce<string>((text, step) => (typeof step === "number" ? `${text}[${step}]` : text === "" ? step : `${text}.${step}`), "");
}
