import type { JsonSchema } from "@factotum/agent-contract";
import * as z from "zod";
import type { KeyPath } from "../document/key-path.ts";
import { isPlainObject, type Document } from "../document/plain-object.ts";
import { CommonAccountSchema } from "../schema/accounts.ts";
import { ConfigDocumentSchema } from "../schema/root.ts";
import { SecretSchema } from "../schema/secret.ts";
import type { ChannelSchema } from "./channel-source.ts";

const converted = new WeakMap<z.ZodType, Document>();

/** The JSON Schema of the whole file, for editors, with the accounts of the given channels. */
export function configJsonSchema(channels: readonly ChannelSchema[]): JsonSchema {
  const root = toJsonSchema(ConfigDocumentSchema);
  const properties = (root["properties"] ?? {}) as Readonly<Record<string, Document>>;
  const { description } = properties["channels"] ?? {};
  return {
    ...root,
    title: "Factotum configuration",
    properties: {
      $schema: { type: "string", description: "Where an editor finds the JSON Schema of this file; `factotum setup` writes it." },
      ...properties,
      channels: { ...channelsSchema(channels), description },
    },
  } as JsonSchema;
}

/** The schema nodes for the value at `path`, one per form. */
export function nodesAt(schema: JsonSchema, path: KeyPath): readonly Document[] {
  return path.reduce<readonly Document[]>((found, part) => found.flatMap((node) => below(node, part)), alternatives(schema));
}

/** The default of the value at `path`, of its own or as a part of that of an object around it; `undefined` without one. */
export function presetAt(schema: JsonSchema, path: KeyPath): unknown {
  let nodes: readonly Document[] = [schema as Document];
  let preset: unknown;
  for (const part of path) {
    nodes = nodes.flatMap(alternatives).flatMap((node): readonly Document[] => [childOf(node, part)].filter((one) => one !== undefined));
    const own = [...nodes, ...nodes.flatMap(alternatives)].find((node) => "default" in node);
    preset = own === undefined ? (isPlainObject(preset) ? preset[part] : undefined) : own["default"];
  }
  return preset;
}

/** The keys that the object at `path` may have. */
export function knownKeys(schema: JsonSchema, path: KeyPath): string[] {
  return [...new Set(nodesAt(schema, path).flatMap((node) => Object.keys((node["properties"] ?? {}) as Document)))];
}

/** The names that the object at `path` may use, if they are listed. */
export function knownNames(schema: JsonSchema, path: KeyPath): string[] {
  return nodesAt(schema, path).flatMap(({ propertyNames }) =>
    isPlainObject(propertyNames) ? ((propertyNames["enum"] ?? []) as string[]) : [],
  );
}

const places = new WeakMap<JsonSchema, ReadonlyMap<string, readonly string[]>>();

/** Paths of keys with this name, shortest first; `<name>` and `[]` stand for what the owner chooses. */
export function placesOfKey(schema: JsonSchema, name: string): readonly string[] {
  const known = places.get(schema) ?? placesOfKeys(schema);
  places.set(schema, known);
  return known.get(name) ?? [];
}

function placesOfKeys(schema: JsonSchema): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, Set<string>>();
  const visit = (node: Document, at: string): void => {
    for (const form of alternatives(node)) {
      for (const [key, child] of Object.entries((form["properties"] ?? {}) as Readonly<Record<string, Document>>)) {
        const place = at === "" ? key : `${at}.${key}`;
        found.set(key, (found.get(key) ?? new Set()).add(place));
        visit(child, place);
      }
      for (const [part, step] of [
        ["items", "[]"],
        ["additionalProperties", ".<name>"],
      ] as const) {
        const child = form[part];
        if (isPlainObject(child)) visit(child, `${at}${step}`);
      }
    }
  };
  visit(schema as Document, "");
  const depthOf = (place: string): number => place.split(/[.[]/).length;
  return new Map([...found].map(([key, all]) => [key, [...all].toSorted((left, right) => depthOf(left) - depthOf(right))]));
}

/** True for a node that accepts a secret: a text that is written and never shown, or a reference to one. */
export function isSecret(node: Document): boolean {
  const variants = alternatives(node);
  return (
    variants.length > 1 &&
    ["env", "file", "exec"].every((key) => variants.some((variant) => key in ((variant["properties"] ?? {}) as Document)))
  );
}

/** The first part of a path that no object of the schema accepts, with its position; `undefined` if the path leads to a key. */
export function unknownPart(schema: JsonSchema, path: KeyPath): KeyPath | undefined {
  let nodes = alternatives(schema);
  for (const [index, part] of path.entries()) {
    // Any key is allowed here.
    if (nodes.some(({ type, ...rest }) => type === undefined && !("enum" in rest) && !("const" in rest))) return undefined;
    nodes = nodes.flatMap((node) => below(node, part));
    if (nodes.length === 0) return path.slice(0, index + 1);
  }
  return undefined;
}

const ACCOUNT = "The account of this channel, or several of them under `accounts`.";
const ACCOUNTS = "Accounts of this channel, by a name of your choice.";

function channelsSchema(channels: readonly ChannelSchema[]): Document {
  const common = toJsonSchema(CommonAccountSchema);
  const { default: _default, ...enabled } = (common["properties"] as Readonly<Record<string, Document>>)["enabled"] ?? {};
  const entries = channels.map(({ id, schema }) => {
    const { $schema: _dialect, ...own } = schema as Document;
    const account = accountSchema(common, withReferences(own) as Document);
    const many = {
      type: "object",
      properties: { enabled, accounts: { type: "object", additionalProperties: account, description: ACCOUNTS } },
      required: ["accounts"],
      additionalProperties: false,
    };
    return [id, { anyOf: [account, many], description: ACCOUNT }];
  });
  return { type: "object", properties: { defaults: common, ...Object.fromEntries(entries) }, additionalProperties: false };
}

/** Merges the platform's keys and those of every account into one object. */
function accountSchema(common: Document, platform: Document): Document {
  const variants = alternatives(platform).map((variant) => ({
    ...variant,
    properties: { ...(variant["properties"] as Document | undefined), ...(common["properties"] as Document) },
  }));
  return variants.length === 1 ? (variants[0] ?? common) : { anyOf: variants };
}

/** Cached by schema, since the conversion takes tens of milliseconds for the whole file. */
function toJsonSchema(schema: z.ZodType): Document {
  const known = converted.get(schema);
  if (known !== undefined) return known;
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }) as Document;
  converted.set(schema, rest);
  return rest;
}

/** Every free text of an account may also be a reference to a secret. */
function withReferences(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(withReferences);
  if (!isPlainObject(node)) return node;
  if (node["type"] === "string" && !("enum" in node) && !("const" in node)) return { anyOf: [node, ...secretReferences()] };
  return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, withReferences(value)]));
}

/** The forms of a reference to a secret. */
export function secretReferences(): readonly Document[] {
  return alternatives(toJsonSchema(SecretSchema)).filter((node) => node["type"] === "object");
}

/** The forms of a node, with unions flattened. */
export function alternatives(node: Document): readonly Document[] {
  const nested = [node["anyOf"], node["oneOf"], node["allOf"]].filter(Array.isArray).flat() as Document[];
  return nested.length === 0 ? [node] : nested.flatMap(alternatives);
}

function below(node: Document, part: string | number): readonly Document[] {
  const child = childOf(node, part);
  return child === undefined ? [] : alternatives(child);
}

function childOf(node: Document, part: string | number): Document | undefined {
  const properties = node["properties"];
  const child =
    typeof part === "number"
      ? node["items"]
      : isPlainObject(properties) && Object.hasOwn(properties, part)
        ? properties[part]
        : node["additionalProperties"];
  return isPlainObject(child) ? child : undefined;
}
