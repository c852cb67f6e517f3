import type { JsonObject, JsonValue } from "@factotum/agent-contract";

/** Bytes of one schema as JSON, and how deep it may nest. */
const MAX_BYTES = 32_768;
const MAX_DEPTH = 24;
/** Names a header of the request in which the value of a parameter is repeated (Streamable HTTP of 2026-07-28). A tool that breaks the rules for it is refused. */
const HEADER_KEY = "x-mcp-header";
const HEADER_NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const HEADER_TYPES: readonly unknown[] = ["string", "integer", "boolean"];

/** Why a tool with this input schema is not offered; `undefined` for a good one. Fetches nothing: a reference that leaves the schema is refused. */
export function schemaProblem(schema: JsonValue | undefined): string | undefined {
  if (!isObject(schema)) return "its schema is not an object";
  if (schema["type"] !== "object") return 'its schema has not the type "object"';
  const { properties } = schema;
  if (properties !== undefined && !isObject(properties)) return "the properties of its schema are not an object";
  const found = problemIn(schema, { depth: 0, isReached: true, headers: new Set() });
  if (found !== undefined) return found;
  return Buffer.byteLength(JSON.stringify(schema)) > MAX_BYTES ? `its schema is larger than ${MAX_BYTES} bytes` : undefined;
}

/** Where a part of a schema is. */
interface Place {
  readonly depth: number;
  /** It is the whole, or a parameter: reached from the whole through `properties` alone. */
  readonly isReached: boolean;
  /** Names of headers so far, in small letters. */
  readonly headers: Set<string>;
}

function problemIn(value: JsonValue | undefined, place: Place): string | undefined {
  const { depth, isReached, headers } = place;
  if (depth > MAX_DEPTH) return `its schema nests deeper than ${MAX_DEPTH} levels`;
  const inner = { depth: depth + 1, isReached: false, headers };
  if (Array.isArray(value)) return firstProblem(value as readonly JsonValue[], inner);
  if (!isObject(value)) return undefined;
  for (const key of ["$ref", "$dynamicRef"]) {
    const target = value[key];
    if (typeof target === "string" && !target.startsWith("#"))
      return `its schema refers to ${target.slice(0, 100)}, which is never fetched`;
  }
  const header = headerProblem(value, { ...place, isReached: isReached && depth > 0 });
  if (header !== undefined) return header;
  const { properties, ...others } = value;
  const parameters = isObject(properties) ? Object.values(properties) : [properties];
  return firstProblem(parameters, { ...inner, isReached }) ?? firstProblem(Object.values(others), inner);
}

function headerProblem(schema: JsonObject, { isReached, headers }: Place): string | undefined {
  const name = schema[HEADER_KEY];
  if (name === undefined) return undefined;
  if (!isReached) return `its schema has ${HEADER_KEY} where no parameter is`;
  if (typeof name !== "string" || !HEADER_NAME.test(name)) return `its schema has an ${HEADER_KEY} that cannot be a header`;
  if (!HEADER_TYPES.includes(schema["type"])) return `its schema has ${HEADER_KEY} on a parameter that is no string, integer or boolean`;
  if (headers.has(name.toLowerCase())) return `its schema has the ${HEADER_KEY} ${name} twice`;
  headers.add(name.toLowerCase());
  return undefined;
}

function firstProblem(values: readonly (JsonValue | undefined)[], place: Place): string | undefined {
  for (const value of values) {
    const problem = problemIn(value, place);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** True for a JSON object. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
