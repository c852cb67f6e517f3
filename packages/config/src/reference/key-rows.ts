import { ACTIVE_KEYS } from "../active-keys.ts";
import { isPlainObject, type Document } from "../document/plain-object.ts";
import { configJsonSchema } from "../validate/json-schema.ts";
import type { ChannelSchema } from "../validate/channel-source.ts";
import { KEY_DESCRIPTIONS } from "./key-descriptions.ts";

/** One line of the reference. */
export interface KeyRow {
  /** `agents.list[].model`; `<name>` stands for a name of the owner's choice. */
  readonly key: string;
  readonly values: string;
  /** As it would be written; absent where there is none. */
  readonly default?: string;
  /** Empty if the key has no description yet. */
  readonly description: string;
  readonly active: boolean;
}

/** Keys that are the same as others, and are not listed a second time. */
interface SharedKeys {
  readonly from: string;
  readonly row: Omit<KeyRow, "active">;
}

const NAME = "<name>";

/** A row for every key of the schema, in its order. Objects that are like an earlier one get one row that names it. */
export function keyRows(channels: readonly ChannelSchema[]): readonly KeyRow[] {
  return new KeyWalk().rows(configJsonSchema(channels) as Document, channels);
}

class KeyWalk {
  readonly #rows: KeyRow[] = [];
  /** Shape of an object, as text, to the key where it was listed. */
  readonly #listed = new Map<string, string>();
  readonly #properties = new Map<string, Document>();

  rows(root: Document, channels: readonly ChannelSchema[]): readonly KeyRow[] {
    const { $schema: _editors, ...sections } = propertiesOf(root);
    for (const [section, node] of Object.entries(sections)) {
      if (section === "agents") this.#agents(node);
      else if (section === "channels") this.#channels(node, channels);
      else this.#visit(node, [section]);
    }
    return this.#rows;
  }

  #agents(node: Document): void {
    const { defaults = {}, list = {} } = propertiesOf(node);
    this.#visit(defaults, ["agents", "defaults"]);
    const row = {
      key: "agents.list[]",
      values: "object",
      description: "An agent. It takes every key of `agents.defaults` except `maxConcurrent`, for itself alone, and:",
    };
    this.#shared(list["items"] as Document, ["agents", "list", "[]"], { from: "agents.defaults", row });
  }

  #channels(node: Document, channels: readonly ChannelSchema[]): void {
    const { defaults = {}, ...accounts } = propertiesOf(node);
    this.#visit(defaults, ["channels", "defaults"]);
    for (const { id } of channels) {
      const [account = {}] = alternatives(accounts[id] ?? {});
      const key = `channels.${id}`;
      const description = `The account of this channel; several of them are written as \`${key}.accounts.${NAME}\`. An account takes every key of \`channels.defaults\`, and:`;
      this.#shared(account, ["channels", id], { from: "channels.defaults", row: { key, values: "object", description } });
    }
  }

  #shared(node: Document, path: readonly string[], { from, row }: SharedKeys): void {
    const known = this.#properties.get(from) ?? {};
    this.#rows.push({ ...row, active: isActive(path) });
    for (const [key, child] of Object.entries(propertiesOf(node))) {
      if (shapeOf(child) !== shapeOf(known[key])) this.#visit(child, [...path, key]);
    }
  }

  #visit(node: Document, path: readonly string[]): void {
    const variants = alternatives(node);
    const nested = isSecret(node) ? undefined : nestedKeys(node, variants);
    if (nested === undefined) return this.#add(node, path, valuesOf(node));
    const at = [...path, ...nested.step];
    const shape = shapeOf(nested.properties);
    const same = this.#listed.get(shape);
    if (same !== undefined) return this.#add(node, at, "object", `${describe(node, at)} The same keys as \`${same}\`.`.trim());
    if (variants.some((variant) => !isNested(variant))) this.#add(node, path, valuesOf(node));
    this.#listed.set(shape, keyOf(at));
    this.#properties.set(keyOf(at), nested.properties);
    for (const [key, child] of Object.entries(nested.properties)) this.#visit(child as Document, [...at, key]);
  }

  #add(node: Document, path: readonly string[], values: string, description: string = describe(node, path)): void {
    const written = node["default"];
    const hasDefault = written !== undefined && !(isPlainObject(written) && Object.keys(written).length === 0);
    this.#rows.push({
      key: keyOf(path),
      values,
      ...(hasDefault ? { default: JSON.stringify(written) } : {}),
      description,
      active: isActive(path),
    });
  }
}

/** The description from the schema, else from the table. */
function describe(node: Document, path: readonly string[]): string {
  const own = [node, ...alternatives(node)].flatMap(({ description }) => (typeof description === "string" ? description : []));
  return own.length === 0 ? (KEY_DESCRIPTIONS[keyOf(path)] ?? "") : [...new Set(own)].join(" ");
}

/** The keys below a node: of the object itself, of the objects in a list, or of those under names. */
function nestedKeys(
  node: Document,
  variants: readonly Document[],
): { readonly step: readonly string[]; readonly properties: Document } | undefined {
  const properties = propertiesOf(node);
  if (Object.keys(properties).length > 0) return { step: [], properties };
  for (const variant of variants) {
    for (const [part, step] of [
      ["items", "[]"],
      ["additionalProperties", NAME],
    ] as const) {
      const child = variant[part];
      if (!isPlainObject(child) || isSecret(child)) continue;
      const below = nestedKeys(child, alternatives(child));
      if (below !== undefined) return { ...below, step: [step, ...below.step] };
    }
  }
  return undefined;
}

function isNested(variant: Document): boolean {
  return nestedKeys(variant, [variant]) !== undefined;
}

/** The keys of all variants that are objects; a key that has several forms has them as variants. */
function propertiesOf(node: Document): Readonly<Record<string, Document>> {
  const merged: Record<string, Document> = {};
  for (const variant of alternatives(node)) {
    for (const [key, child] of Object.entries((variant["properties"] ?? {}) as Readonly<Record<string, Document>>)) {
      const before = merged[key];
      if (before === undefined) merged[key] = child;
      else if (shapeOf(before) !== shapeOf(child)) merged[key] = { anyOf: [...alternatives(before), ...alternatives(child)] };
    }
  }
  return merged;
}

function alternatives(node: Document): readonly Document[] {
  const nested = [node["anyOf"], node["oneOf"]].filter(Array.isArray).flat() as Document[];
  return nested.length === 0 ? [node] : nested.flatMap(alternatives);
}

/** True for what takes a secret: a text that is written and never shown, and the references to one. */
function isSecret(node: Document): boolean {
  const variants = alternatives(node);
  return (
    variants.length > 1 &&
    ["env", "file", "exec"].every((key) => variants.some((variant) => key in ((variant["properties"] ?? {}) as Document)))
  );
}

/** The text of a node without the parts that do not affect its keys. */
function shapeOf(node: unknown): string {
  return JSON.stringify(node, (key, value: unknown) => (key === "default" || key === "description" ? undefined : value)) ?? "";
}

function keyOf(path: readonly string[]): string {
  return path.reduce((key, part) => (part === "[]" ? `${key}[]` : key === "" ? part : `${key}.${part}`), "");
}

function isActive(path: readonly string[]): boolean {
  return ACTIVE_KEYS.some((pattern) =>
    pattern.split(".").every((part, index) => index >= path.length || part === "*" || part === path[index]),
  );
}

/** The allowed values, for people. */
function valuesOf(node: Document): string {
  // A platform's text may be a reference too, whether it is a secret or not.
  if (isSecret(node)) return alternatives(node).some(({ writeOnly }) => writeOnly === true) ? "secret" : "text or secret";
  return [...new Set(alternatives(node).map(valueOf))].join(" or ");
}

function valueOf(node: Document): string {
  const choices = Array.isArray(node["enum"]) ? node["enum"] : "const" in node ? [node["const"]] : undefined;
  if (choices !== undefined) return choices.map((choice) => `\`${String(choice)}\``).join(", ");
  switch (node["type"]) {
    case "boolean":
      return "`true`, `false`";
    case "integer":
    case "number":
      return numberOf(node);
    case "array":
      return `list of ${isPlainObject(node["items"]) ? valuesOf(node["items"]) : "anything"}`;
    case "object": {
      const below = node["additionalProperties"];
      return isPlainObject(below) && Object.keys(below).length > 0 ? `${valuesOf(below)}, by name` : "object";
    }
    case "string":
      return typeof node["format"] === "string" && /^ipv\d$/.test(node["format"]) ? "IP address" : "text";
    default:
      return "anything";
  }
}

function numberOf(node: Document): string {
  const word = node["type"] === "integer" ? "whole number" : "number";
  const { minimum, maximum, exclusiveMinimum } = node;
  const least = typeof minimum === "number" && minimum > Number.MIN_SAFE_INTEGER ? ` from ${minimum}` : "";
  const from = typeof exclusiveMinimum === "number" ? ` above ${exclusiveMinimum}` : least;
  const to = typeof maximum === "number" && maximum < Number.MAX_SAFE_INTEGER ? ` to ${maximum}` : "";
  return `${word}${from}${to}`;
}
