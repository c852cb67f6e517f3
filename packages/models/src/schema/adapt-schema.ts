import { withoutUndefined } from "@factotum/agent-contract";
import type { JsonSchema, JsonValue } from "@factotum/agent-contract";
import { asList, asObject, isList, isObject } from "./json-shape.ts";
import type { SchemaDialect } from "./schema-dialects.ts";

/** Thrown if a schema cannot be adapted to the provider. */
export class SchemaRefusal extends Error {
  constructor(message: string) {
    super(message);
    this.name = "SchemaRefusal";
  }
}

/** Deeper schemas are reduced to their type. */
const DEEPEST = 8;
const MOST_NODES = 2_000;

const TYPES = new Set(["string", "number", "integer", "boolean", "object", "array", "null"]);
const COMBINATORS = ["anyOf", "oneOf", "allOf"] as const;

const OF_OBJECTS = new Set(["properties", "required", "additionalProperties"]);

type Check = (value: JsonValue) => boolean;

const isText: Check = (value) => typeof value === "string";
const isNumber: Check = (value) => typeof value === "number" && Number.isFinite(value);
const isCount: Check = (value) => typeof value === "number" && Number.isInteger(value) && value >= 0;

/** Keywords that are copied unchanged if their value is valid in every draft. Keywords that are not named anywhere here are dropped. */
const COPIED: Readonly<Record<string, Check>> = {
  title: isText,
  description: isText,
  format: isText,
  pattern: (value) => typeof value === "string" && isPattern(value),
  minimum: isNumber,
  maximum: isNumber,
  exclusiveMinimum: isNumber,
  exclusiveMaximum: isNumber,
  multipleOf: (value) => typeof value === "number" && value > 0,
  minLength: isCount,
  maxLength: isCount,
  minItems: isCount,
  maxItems: isCount,
  minProperties: isCount,
  maxProperties: isCount,
  uniqueItems: (value) => typeof value === "boolean",
  default: () => true,
};

/**
 * Reduces a schema to what means the same in drafts 7 and 2020-12 and what the dialect supports: references are inlined, tuples become lists, invalid values
 * are dropped, recursion ends. Throws a `SchemaRefusal` if nothing that is left would describe the arguments.
 */
export function adaptSchema(root: JsonSchema, dialect: SchemaDialect): JsonSchema {
  const type = readType(root);
  if (type !== undefined && !hasType(type, "object")) throw new SchemaRefusal("its parameters are no object");
  const adapter = new Adapter(root, dialect);
  return adapter.adapt(root, { depth: 0, refs: [] });
}

interface Place {
  readonly depth: number;
  /** The references that are currently being inlined. */
  readonly refs: readonly string[];
}

class Adapter {
  readonly #root: JsonSchema;
  readonly #dialect: SchemaDialect;
  #nodes = 0;

  constructor(root: JsonSchema, dialect: SchemaDialect) {
    this.#root = root;
    this.#dialect = dialect;
  }

  adapt(value: JsonValue | undefined, place: Place): JsonSchema {
    this.#nodes += 1;
    if (this.#nodes > MOST_NODES) throw new SchemaRefusal(`its schema has more than ${MOST_NODES} parts`);
    const { schema, refs } = this.#resolve(asObject(value), place.refs);
    const given = readType(schema);
    const inner: Place = { depth: place.depth + 1, refs };
    const adapted: Record<string, JsonValue> = withoutUndefined({ type: given });
    for (const [keyword, check] of Object.entries(COPIED)) {
      const found = schema[keyword];
      if (found !== undefined && this.#takes(keyword) && check(found)) adapted[keyword] = found;
    }
    this.#addEnum(schema, adapted);
    const type = readType(adapted);
    if (place.depth >= DEEPEST) return hasType(type, "array") ? { ...adapted, items: {} } : adapted;
    if (hasType(type, "object") || (type === given && isObject(schema.properties))) this.#addProperties(schema, adapted, inner);
    if (hasType(type, "array")) adapted.items = isObject(schema.items) ? this.adapt(schema.items, inner) : {};
    const { additionalProperties: more } = schema;
    if (typeof more === "boolean") adapted.additionalProperties = more;
    else if (isObject(more)) adapted.additionalProperties = this.adapt(more, inner);
    this.#addCombinators(schema, adapted, inner);
    return adapted;
  }

  #takes(keyword: string): boolean {
    return this.#dialect.keywords?.has(keyword) ?? true;
  }

  /** Resolves references inside the schema. A dangling or circular one becomes an empty schema. */
  #resolve(schema: JsonSchema, refs: readonly string[]): { readonly schema: JsonSchema; readonly refs: readonly string[] } {
    const { $ref: ref, ...siblings } = schema;
    if (typeof ref !== "string") return { schema: siblings, refs };
    const target = refs.includes(ref) ? undefined : findTarget(this.#root, ref);
    if (!isObject(target)) return { schema: siblings, refs };
    return this.#resolve({ ...target, ...siblings }, [...refs, ref]);
  }

  #addEnum(schema: JsonSchema, adapted: Record<string, JsonValue>): void {
    const values = schema.const === undefined ? asList(schema.enum) : [schema.const];
    const unique = [...new Map(values.map((value) => [JSON.stringify(value), value])).values()];
    if (unique.length === 0) return;
    if (!this.#dialect.stringEnums || unique.every((value) => typeof value === "string" && value !== "")) {
      adapted.enum = unique;
      if (this.#dialect.stringEnums) adapted.type = "string";
      return;
    }
    const words = `One of: ${JSON.stringify(unique)}.`;
    adapted.description = typeof adapted.description === "string" ? `${adapted.description} ${words}` : words;
  }

  #addProperties(schema: JsonSchema, adapted: Record<string, JsonValue>, inner: Place): void {
    const wanted = asList(schema.required).filter((name) => typeof name === "string");
    const properties: Record<string, JsonValue> = {};
    for (const [name, value] of Object.entries(asObject(schema.properties))) {
      if (value === false || value === undefined) continue;
      if (this.#dialect.propertyName?.test(name) === false || name === "__proto__" || !name.isWellFormed() || name.includes("\0")) {
        if (wanted.includes(name)) throw new SchemaRefusal(`it requires ${JSON.stringify(name)}, a name that the provider refuses`);
        continue;
      }
      properties[name] = this.adapt(value, inner);
    }
    const required = [...new Set(wanted)].filter((name) => Object.hasOwn(properties, name));
    adapted.properties = properties;
    if (required.length > 0) adapted.required = required;
  }

  #addCombinators(schema: JsonSchema, adapted: Record<string, JsonValue>, inner: Place): void {
    for (const keyword of COMBINATORS) {
      const variants = asList(schema[keyword]).filter(isObject);
      if (variants.length === 0) continue;
      const list = variants.map((variant) => this.adapt(variant, inner));
      if (this.#dialect.combinators.has(keyword)) adapted[keyword] = list;
      else if (keyword === "oneOf") adapted.anyOf ??= list;
      else for (const part of list) this.#merge(adapted, part);
    }
  }

  /** Merges a part of an `allOf`. What contradicts the present type is dropped: no arguments could meet both. */
  #merge(adapted: Record<string, JsonValue>, part: JsonSchema): void {
    const own = readType(part);
    if (own !== undefined && adapted.type !== undefined && ![own].flat().some((type) => hasType(readType(adapted), type))) return;
    for (const [key, value] of Object.entries(part)) {
      if (value !== undefined && this.#fits(key, readType(adapted))) merge(adapted, key, value);
    }
  }

  /** Whether a keyword applies to values of this type. */
  #fits(keyword: string, type: ReturnType<typeof readType>): boolean {
    if (type === undefined) return true;
    if (keyword === "items") return hasType(type, "array");
    if (OF_OBJECTS.has(keyword)) return hasType(type, "object");
    return keyword !== "enum" || !this.#dialect.stringEnums || type === "string";
  }
}

/** Adds one keyword of a part of an `allOf`; an existing one wins. */
function merge(adapted: Record<string, JsonValue>, key: string, value: JsonValue): void {
  const before = adapted[key];
  if (key === "properties" && isObject(before) && isObject(value)) adapted[key] = { ...value, ...before };
  else if (key === "required" && isList(before) && isList(value)) adapted[key] = [...new Set([...before, ...value])];
  else adapted[key] ??= value;
}

/** The type, if there is a single one; OpenAPI's `nullable` counts as an additional type. */
function readType(schema: JsonSchema): string | readonly string[] | undefined {
  const given = isList(schema.type) ? schema.type : schema.type === undefined ? [] : [schema.type];
  const types = [...new Set(given.filter((type): type is string => typeof type === "string" && TYPES.has(type)))];
  if (types.length > 0 && schema.nullable === true && !types.includes("null")) types.push("null");
  if (types.length === 0) return isObject(schema.properties) ? "object" : undefined;
  return types.length === 1 ? types[0] : types;
}

function hasType(type: string | readonly string[] | undefined, wanted: string): boolean {
  return type === wanted || (typeof type === "object" && type.includes(wanted));
}

function findTarget(root: JsonSchema, ref: string): JsonValue | undefined {
  if (ref === "#") return root;
  if (!ref.startsWith("#/")) return undefined;
  let target: JsonValue | undefined = root;
  for (const step of ref.slice(2).split("/")) {
    const name = step.replaceAll("~1", "/").replaceAll("~0", "~");
    target = isObject(target) && Object.hasOwn(target, name) ? target[name] : undefined;
  }
  return target;
}

function isPattern(source: string): boolean {
  try {
    new RegExp(source, "u");
    return true;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}
