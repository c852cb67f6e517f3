import { ACTIVE_KEYS } from "./active-keys.ts";
import { parseKeyPath } from "./document/key-path.ts";
import { isPlainObject, type Document } from "./document/plain-object.ts";
import { RESTART_KEYS } from "./restart-keys.ts";
import type { ChannelSchema } from "./validate/channel-source.ts";
import { configJsonSchema, isSecret, nodesAt, presetAt } from "./validate/json-schema.ts";

/** What the schema says about one key. */
export interface KeyDescription {
  /** The JSON Schema of its value, one per form. Of nested objects only the names of their keys, with their descriptions. */
  readonly schema: readonly Document[];
  readonly default?: unknown;
  /** False while this build has no effect of the key. */
  readonly isActive: boolean;
  readonly needsRestart: boolean;
}

/** Looks up a key in the schema; without a key the whole file. `undefined` for an unknown key (`describeUnknownKey`). Throws a `KeyPathError` for an invalid path. */
export function describeKey(key: string | undefined, channels: readonly ChannelSchema[]): KeyDescription | undefined {
  const schema = configJsonSchema(channels);
  const path = key === undefined ? [] : parseKeyPath(key);
  const nodes = nodesAt(schema, path);
  if (nodes.length === 0) return undefined;
  const preset = path.length === 0 ? undefined : presetAt(schema, path);
  const matches = (pattern: string): boolean =>
    pattern.split(".").every((part, index) => index >= path.length || part === "*" || part === String(path[index]));
  return {
    schema: nodes.map((node) => shallow(node, 1)),
    ...(preset === undefined ? {} : { default: preset }),
    isActive: path.length === 0 || ACTIVE_KEYS.some(matches),
    needsRestart: key !== undefined && RESTART_KEYS.includes(key),
  };
}

/** A node without what is below its keys: a lookup of a key shows that. */
function shallow(node: Document, depth: number): Document {
  const nested = (value: unknown): unknown => {
    if (!isPlainObject(value)) return value;
    if (isSecret(value)) return { description: value["description"], type: 'secret: a reference such as {env: "NAME"} or {file: "path"}' };
    return depth > 0 ? shallow(value, depth - 1) : { type: value["type"], description: value["description"] };
  };
  return Object.fromEntries(
    Object.entries(node).map(([name, value]) => {
      if (name === "properties" && isPlainObject(value))
        return [name, Object.fromEntries(Object.entries(value).map(([key, child]) => [key, nested(child)]))];
      if (name === "items" || name === "additionalProperties") return [name, nested(value)];
      if ((name === "anyOf" || name === "oneOf") && Array.isArray(value)) return [name, value.map(nested)];
      return [name, value];
    }),
  );
}
