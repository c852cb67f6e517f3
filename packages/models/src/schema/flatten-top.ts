import type { JsonSchema, JsonValue } from "@factotum/agent-contract";
import { asList, asObject } from "./json-shape.ts";

const COMBINATORS = ["anyOf", "oneOf", "allOf"] as const;

/** A tool's schema without a combinator at its top, which most providers refuse: the properties of its variants are merged with the others. */
export function flattenTop(schema: JsonSchema): JsonSchema {
  const variants = COMBINATORS.flatMap((key) => asList(schema[key])).map((variant) => resolveTop(variant, schema));
  const inherited = variants.flatMap((variant) => Object.entries(asObject(variant.properties)));
  const rest = Object.entries(schema).filter(([key]) => !COMBINATORS.some((combinator) => combinator === key));
  const flat: JsonSchema = Object.fromEntries(rest);
  return inherited.length === 0 ? flat : { ...flat, properties: { ...Object.fromEntries(inherited), ...asObject(flat.properties) } };
}

/** A variant that only refers to a definition is replaced by it. */
function resolveTop(variant: JsonValue, root: JsonSchema): JsonSchema {
  const object = asObject(variant);
  const name = typeof object.$ref === "string" ? /^#\/(\$defs|definitions)\/([^/]+)$/.exec(object.$ref) : null;
  const target = name === null ? undefined : asObject(root[name[1] ?? ""])[name[2] ?? ""];
  return target === undefined ? object : asObject(target);
}
