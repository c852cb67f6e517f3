import { ACTIVE_KEYS } from "../active-keys.ts";
import { isPlainObject, type Document } from "../document/plain-object.ts";
import { RESTART_KEYS } from "../restart-keys.ts";
import { numberForm } from "../validate/describe-forms.ts";
import { alternatives, isSecret } from "../validate/json-schema.ts";
import type { ChannelSchema } from "../validate/channel-source.ts";
import { describedSchema, NAME } from "./describe-schema.ts";

/** One row of the reference. */
export interface KeyRow {
  /** `agents.list[].model`; `<name>` stands for a name that the owner chooses. */
  readonly key: string;
  /** `text`, `whole number`, `list of text`, `object`. */
  readonly type: string;
  /** Choices and bounds; empty if every value of the type is allowed. */
  readonly values: string;
  /** As written in a file; absent if there is none. */
  readonly default?: string;
  /** Empty if the key has no description yet. */
  readonly description: string;
  readonly active: boolean;
  /** True for a key whose change takes effect only after a restart. */
  readonly restart: boolean;
}

/** Keys that are the same as others, and are not listed again. */
interface SharedKeys {
  readonly from: string;
  readonly row: Omit<KeyRow, "active" | "restart">;
}

/** A row for every key of the schema, in its order. Objects that are like an earlier one get one row that names it. */
export function keyRows(channels: readonly ChannelSchema[]): readonly KeyRow[] {
  return new KeyWalk().rows(describedSchema(channels) as Document, channels);
}

class KeyWalk {
  readonly #rows: KeyRow[] = [];
  /** From the shape of an object, as text, to the key where it was listed. */
  readonly #listed = new Map<string, string>();
  readonly #properties = new Map<string, Document>();

  rows(root: Document, channels: readonly ChannelSchema[]): readonly KeyRow[] {
    for (const [section, node] of Object.entries(propertiesOf(root))) {
      if (section === "agents") this.#agents(node);
      else if (section === "channels") this.#channels(node, channels);
      else this.#visit(node, [section]);
    }
    return this.#rows;
  }

  #agents(node: Document): void {
    const { defaults = {}, list = {} } = propertiesOf(node);
    this.#add(node, ["agents"], "object");
    this.#visit(defaults, ["agents", "defaults"]);
    this.#add(list, ["agents", "list"], "list of object");
    const row = {
      key: "agents.list[]",
      type: "object",
      values: "",
      description: "An agent. It takes every key of `agents.defaults` except `maxConcurrent`, for itself alone, and:",
    };
    this.#shared(list["items"] as Document, ["agents", "list", "[]"], { from: "agents.defaults", row });
  }

  #channels(node: Document, channels: readonly ChannelSchema[]): void {
    const { defaults = {}, ...accounts } = propertiesOf(node);
    this.#add(node, ["channels"], "object");
    this.#visit(defaults, ["channels", "defaults"]);
    for (const { id } of channels) {
      const [account = {}] = alternatives(accounts[id] ?? {});
      const key = `channels.${id}`;
      const description = `The account of this channel; several of them are written as \`${key}.accounts.${NAME}\`. An account takes every key of \`channels.defaults\`, and:`;
      this.#shared(account, ["channels", id], { from: "channels.defaults", row: { key, type: "object", values: "", description } });
    }
  }

  #shared(node: Document, path: readonly string[], { from, row }: SharedKeys): void {
    const known = this.#properties.get(from) ?? {};
    this.#rows.push({ ...row, active: isActive(path), restart: false });
    for (const [key, child] of Object.entries(propertiesOf(node))) {
      if (shapeOf(child) !== shapeOf(known[key])) this.#visit(child, [...path, key]);
    }
  }

  #visit(node: Document, path: readonly string[]): void {
    const variants = alternatives(node);
    const nested = isSecret(node) ? undefined : nestedKeys(node, variants);
    if (nested === undefined) return this.#add(node, path, typeOf(node));
    const at = [...path, ...nested.step];
    const shape = shapeOf(nested.properties);
    const same = this.#listed.get(shape);
    if (same !== undefined) {
      if (nested.step.length > 0) this.#add(node, path, typeOf(node));
      return this.#add(node, at, "object", `${nested.step.length > 0 ? "" : describe(node)} The same keys as \`${same}\`.`.trim());
    }
    this.#add(node, path, typeOf(node));
    this.#listed.set(shape, keyOf(at));
    this.#properties.set(keyOf(at), nested.properties);
    for (const [key, child] of Object.entries(nested.properties)) this.#visit(child as Document, [...at, key]);
  }

  #add(node: Document, path: readonly string[], type: string, description: string = describe(node)): void {
    const written = node["default"];
    const hasDefault = written !== undefined && !(isPlainObject(written) && Object.keys(written).length === 0);
    this.#rows.push({
      key: keyOf(path),
      type,
      values: type === "object" ? "" : allowedOf(node),
      ...(hasDefault ? { default: JSON.stringify(written) } : {}),
      description,
      active: isActive(path),
      restart: RESTART_KEYS.includes(keyOf(path)),
    });
  }
}

function describe(node: Document): string {
  const own = [node, ...alternatives(node)].flatMap(({ description }) => (typeof description === "string" ? description : []));
  return [...new Set(own)].join(" ");
}

/** The keys below a node: of the object itself, of the objects in a list, or of named objects. */
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

/** The text of a node without the parts that do not affect its keys. */
function shapeOf(node: unknown): string {
  return JSON.stringify(node, (key, value: unknown) => (key === "default" || key === "description" ? undefined : value)) ?? "";
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

function keyOf(path: readonly string[]): string {
  return path.reduce((key, part) => (part === "[]" ? `${key}[]` : key === "" ? part : `${key}.${part}`), "");
}

function isActive(path: readonly string[]): boolean {
  return ACTIVE_KEYS.some((pattern) =>
    pattern.split(".").every((part, index) => index >= path.length || part === "*" || part === path[index]),
  );
}

/** The kind of value, for people. */
function typeOf(node: Document): string {
  // A platform's string may be a reference too, even if it is not a secret.
  if (isSecret(node)) return alternatives(node).some(({ writeOnly }) => writeOnly === true) ? "secret" : "text or secret";
  return [...new Set(alternatives(node).map(typeOfForm))].join(" or ");
}

function typeOfForm(node: Document): string {
  switch (node["type"]) {
    case "boolean":
      return "true or false";
    case "integer":
      return "whole number";
    case "number":
      return "number";
    case "array":
      return `list of ${isPlainObject(node["items"]) ? typeOf(node["items"]) : "anything"}`;
    case "object": {
      const below = node["additionalProperties"];
      const isMap = isPlainObject(below) && Object.keys(below).length > 0 && typeOf(below) !== "object";
      return isMap ? `${typeOf(below)}, by name` : "object";
    }
    case "string":
      return typeof node["format"] === "string" && /^ipv\d$/.test(node["format"]) ? "IP address" : "text";
    default:
      return "const" in node || "enum" in node ? "text" : "anything";
  }
}

/** Choices and bounds, for people. */
function allowedOf(node: Document): string {
  if (isSecret(node)) return "";
  return [...new Set(alternatives(node).map(allowedOfForm))].filter((one) => one !== "").join(", ");
}

function allowedOfForm(node: Document): string {
  const choices = Array.isArray(node["enum"]) ? node["enum"] : "const" in node ? [node["const"]] : undefined;
  if (choices !== undefined) return choices.map((choice) => `\`${String(choice)}\``).join(", ");
  if (node["type"] === "integer" || node["type"] === "number") return numberForm(node).replace(/^a (?:whole )?number ?/, "");
  const below = node["type"] === "array" ? node["items"] : node["type"] === "object" ? node["additionalProperties"] : undefined;
  return isPlainObject(below) && !isPlainObject(below["properties"]) ? allowedOf(below) : "";
}
