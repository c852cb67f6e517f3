import { isPlainObject, type Document } from "../document/plain-object.ts";
import { alternatives, isSecret } from "./json-schema.ts";

const OBJECT = "an object: ";
/** Longest list of keys of an object that a message shows. */
const MAX_KEYS = 6;

/** Describes the forms that JSON Schema nodes allow, as the beginning of a sentence: `a whole number from 0 to 65535`. */
export function describeForms(nodes: readonly Document[]): string {
  const forms = new Set<string>();
  const choices = nodes.flatMap(choicesOf);
  if (choices.length > 0) forms.add(choices.length > 1 && nodes.every(isChoice) ? `one of ${choices.join(", ")}` : choices.join(", "));
  if (isSecret({ anyOf: nodes })) {
    for (const node of nodes) if (node["type"] === "string") forms.add(textForm(node));
    // A value that accepts references only because every text of an account does is not a secret.
    if (nodes.some(({ writeOnly }) => writeOnly === true)) forms.add('a reference ("${VARIABLE}", { env }, { file } or { exec: [ … ] })');
  } else {
    for (const node of nodes) if (!isChoice(node)) forms.add(formOf(node));
  }
  return joinForms([...forms]);
}

function joinForms(forms: readonly string[]): string {
  // "an object: { … } or { … }".
  const [first = "something else", ...others] = forms;
  const short = others.map((form) => (first.startsWith(OBJECT) && form.startsWith(OBJECT) ? form.slice(OBJECT.length) : form));
  return short.length === 0 ? first : `${[first, ...short.slice(0, -1)].join(", ")} or ${short.at(-1)}`;
}

function isChoice(node: Document): boolean {
  return Array.isArray(node["enum"]) || "const" in node;
}

/** Choices as written in a file. */
function choicesOf(node: Document): readonly string[] {
  const choices = Array.isArray(node["enum"]) ? (node["enum"] as unknown[]) : "const" in node ? [node["const"]] : [];
  return choices.map((choice) => JSON.stringify(choice));
}

function formOf(node: Document): string {
  switch (node["type"]) {
    case "boolean":
      return "true or false";
    case "integer":
    case "number":
      return numberForm(node);
    case "array":
      return listForm(node);
    case "object":
      return objectForm(node);
    case "string":
      return textForm(node);
    default:
      return "any value";
  }
}

/** `a whole number from 1 to 5`. */
export function numberForm({ type, minimum, maximum, exclusiveMinimum }: Document): string {
  const isWhole = type === "integer";
  const least = typeof minimum === "number" && minimum > Number.MIN_SAFE_INTEGER ? minimum : undefined;
  const most = typeof maximum === "number" && maximum < Number.MAX_SAFE_INTEGER ? maximum : undefined;
  if (typeof exclusiveMinimum === "number")
    return most === undefined
      ? `a ${isWhole ? "whole number" : "number"} above ${exclusiveMinimum}`
      : `a ${isWhole ? "whole number" : "number"} above ${exclusiveMinimum} to ${most}`;
  if (least === undefined && most === undefined) return isWhole ? "a whole number" : "a number";
  if (least === undefined) return `a ${isWhole ? "whole number" : "number"} up to ${most}`;
  if (most === undefined) return `a ${isWhole ? "whole number" : "number"} from ${least}`;
  return `a ${isWhole ? "whole number" : "number"} from ${least} to ${most}`;
}

function listForm(node: Document): string {
  const items = node["items"];
  if (!isPlainObject(items)) return "a list";
  const entries = alternatives(items);
  const choices = entries.flatMap(choicesOf);
  if (choices.length > 0) return `a list of ${choices.join(", ")}`;
  return entries.some(({ type }) => type === "object") ? "a list of objects: [{ … }]" : "a list of texts: [ … ]";
}

function objectForm(node: Document): string {
  const properties = isPlainObject(node["properties"]) ? node["properties"] : {};
  const required = Array.isArray(node["required"]) ? (node["required"] as string[]) : [];
  const keys = [...new Set([...required, ...Object.keys(properties)])];
  if (keys.length === 0) return `${OBJECT}{ name: value }`;
  const needed = required.length === 0 ? keys.slice(0, MAX_KEYS) : required;
  const shown = needed.map((key) => {
    const property = properties[key];
    return isPlainObject(property) && "const" in property ? `${key}: ${JSON.stringify(property["const"])}` : key;
  });
  return `${OBJECT}{ ${shown.join(", ")}${keys.length > needed.length ? ", …" : ""} }`;
}

function textForm(node: Document): string {
  if (node["format"] === "uri") return "an address such as https://example.com";
  if (typeof node["format"] === "string" && /^ipv\d$/.test(node["format"])) return "an IP address";
  return "a text";
}
