import type { JsonObject, JsonValue } from "@factotum/agent-contract";

/** Bytes of one schema as JSON, and how deep it may nest. */
const MAX_BYTES = 32_768;
const MAX_DEPTH = 24;

/** Why a tool with this input schema is not offered; `undefined` for a good one. Fetches nothing: a reference that leaves the schema is refused. */
export function schemaProblem(schema: JsonValue | undefined): string | undefined {
  if (!isObject(schema)) return "its schema is not an object";
  if (schema["type"] !== "object") return 'its schema has not the type "object"';
  const { properties } = schema;
  if (properties !== undefined && !isObject(properties)) return "the properties of its schema are not an object";
  const found = problemIn(schema, 0);
  if (found !== undefined) return found;
  return Buffer.byteLength(JSON.stringify(schema)) > MAX_BYTES ? `its schema is larger than ${MAX_BYTES} bytes` : undefined;
}

function problemIn(value: JsonValue | undefined, depth: number): string | undefined {
  if (depth > MAX_DEPTH) return `its schema nests deeper than ${MAX_DEPTH} levels`;
  if (Array.isArray(value)) return firstProblem(value as readonly JsonValue[], depth);
  if (!isObject(value)) return undefined;
  for (const key of ["$ref", "$dynamicRef"]) {
    const target = value[key];
    if (typeof target === "string" && !target.startsWith("#"))
      return `its schema refers to ${target.slice(0, 100)}, which is never fetched`;
  }
  return firstProblem(Object.values(value), depth);
}

function firstProblem(values: readonly (JsonValue | undefined)[], depth: number): string | undefined {
  for (const value of values) {
    const problem = problemIn(value, depth + 1);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** True for a JSON object. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
