import type { JsonSchema } from "@factotum/agent-contract";
import { valueAt, type KeyPath } from "../document/key-path.ts";
import { isPlainObject, type Document } from "../document/plain-object.ts";
import { nearestName } from "@factotum/agent-contract";
import { suggestion } from "../suggestion.ts";
import { describeForms } from "./describe-forms.ts";
import type { Finding } from "./issues.ts";
import { knownKeys, knownNames, nodesAt, placesOfKey } from "./json-schema.ts";
import { problemAt, type ConfigProblem } from "./problem.ts";
import { isRestriction, losesRestriction, restrictingKeyLike } from "./restrictions.ts";

/** Longest list of keys that a message shows. */
const MAX_KEYS = 12;

/** Explains a schema finding to a newcomer: what is wrong, which forms are allowed, and what was probably meant. */
export function explainFinding(finding: Finding, document: Document, schemaOf: () => JsonSchema): ConfigProblem {
  switch (finding.type) {
    case "unknown-key":
      return unknownKey(finding, document, schemaOf());
    case "invalid-name": {
      const name = String(finding.path.at(-1));
      const options = finding.options.length === 0 ? "" : `one of ${finding.options.join(", ")} is expected`;
      const reason = finding.message ?? (options === "" ? "another name is expected" : options);
      return invalidAt(finding.path, `"${name}" cannot stand here: ${reason}${suggestion(nearestName(name, finding.options))}`);
    }
    case "invalid-value":
      return invalidValue(finding, document, schemaOf);
  }
}

function unknownKey({ path, key }: Finding & { type: "unknown-key" }, document: Document, schema: JsonSchema): ConfigProblem {
  const parent = path.slice(0, -1);
  const known = [...knownKeys(schema, parent), ...knownNames(schema, parent)];
  const nearest = nearestName(key, known);
  const value = valueAt(document, path);
  if (losesRestriction(path, { value, meant: nearest })) {
    const advice =
      (nearest === key ? "" : suggestion(nearest)) || nestedForm(key) || `; remove it${ADVICE.get(restrictingKeyLike(key) ?? "") ?? ""}`;
    return problemAt("unenforced", path, `there is no such key here, so nothing would keep to it${advice}`);
  }
  const hint = known.includes(key)
    ? " in the form that is written here; remove it, or choose the form that has it"
    : suggestion(nearest) || nestedForm(key) || elsewhere(key, schema) || keysHere(known);
  return problemAt("unknown-key", path, `there is no such key${hint}`);
}

/** Where a key of this name is allowed. */
function elsewhere(key: string, schema: JsonSchema): string {
  const places = placesOfKey(schema, key);
  const [first, second] = places;
  // A name that occurs in many places, such as `id`, gives no hint.
  if (first === undefined || places.length > 6) return "";
  return ` here; it belongs to ${second === undefined ? first : `${first} or ${second}`}`;
}

function keysHere(known: readonly string[]): string {
  if (known.length === 0) return " here; remove it";
  const shown = known.slice(0, MAX_KEYS).join(", ");
  return ` here; the keys are ${shown}${known.length > MAX_KEYS ? " and others" : ""}`;
}

function invalidValue(
  { path, message, empty, otherType }: Finding & { type: "invalid-value" },
  document: Document,
  schemaOf: () => JsonSchema,
): ConfigProblem {
  const value = valueAt(document, path);
  const nodes = nodesAt(schemaOf(), path);
  const nearest = nearestChoice(value, nodes);
  if (message !== undefined && value === undefined && otherType === true)
    return invalidAt(path, `this key is needed and is missing: ${message}`);
  if (message !== undefined) return invalidAt(path, `${message}${message.includes("did you mean") ? "" : suggestion(nearest)}`);
  if (empty === true) {
    const kind = Array.isArray(value) ? "the list is empty; write at least one entry" : "the text is empty; write one";
    return invalidAt(path, `${kind}, or remove the key`);
  }
  const forms = describeForms(nodes);
  if (value === undefined) return invalidAt(path, `this key is needed and is missing: ${forms} is expected${meaningOf(nodes)}`);
  const pattern = typeof value === "string" ? patternProblem(value, nodes) : undefined;
  if (pattern !== undefined) return invalidAt(path, pattern);
  const types = new Set(nodes.map(({ type }) => type));
  return invalidAt(path, `${forms} is expected${butIs(value, types)}${suggestion(nearest) || rewrite(value, types)}`);
}

/** What the pattern that a text does not match is for: its own message, else the meaning of the key. */
function patternProblem(text: string, nodes: readonly Document[]): string | undefined {
  const failed = nodes.find(
    ({ format, pattern }) => format === undefined && typeof pattern === "string" && !new RegExp(pattern).test(text),
  );
  if (failed === undefined) return undefined;
  const { patternErrorMessage } = failed;
  return typeof patternErrorMessage === "string" ? patternErrorMessage : `this text has a form that is not allowed here${meaningOf(nodes)}`;
}

function nearestChoice(value: unknown, nodes: readonly Document[]): string | undefined {
  if (typeof value !== "string") return undefined;
  const choices = nodes.flatMap((node) => (Array.isArray(node["enum"]) ? (node["enum"] as unknown[]) : [node["const"]]));
  return nearestName(
    value,
    choices.filter((choice) => typeof choice === "string"),
  );
}

/** The description of the key in the schema. */
function meaningOf(nodes: readonly Document[]): string {
  const said = nodes.flatMap(({ description }) => (typeof description === "string" ? description : []))[0];
  return said === undefined ? "" : ` (${said.replace(/\.$/, "")})`;
}

/** The type of the value, unless it is an expected one. */
function butIs(value: unknown, types: ReadonlySet<unknown>): string {
  if (value === null) return ", not null; to leave it unset, remove the key";
  if (Array.isArray(value)) return types.has("array") ? "" : ", not a list";
  if (isPlainObject(value)) return types.has("object") ? "" : ", not an object";
  if (typeof value === "boolean") return types.has("boolean") ? "" : `, not ${value}`;
  if (typeof value === "number") return types.has("number") || types.has("integer") ? "" : ", not a number";
  return types.has("string") ? "" : ", not a text";
}

/** How a value that was nearly right is written. Shows nothing of other texts, which may be secrets. */
function rewrite(value: unknown, types: ReadonlySet<unknown>): string {
  if (typeof value === "string") {
    const isNumber = /^-?\d+(\.\d+)?$/.test(value) && (types.has("number") || types.has("integer"));
    if (isNumber || (/^(true|false)$/.test(value) && types.has("boolean"))) return `; write ${value} without quotes`;
    if (/^(yes|on|no|off)$/i.test(value) && types.has("boolean")) return `; write ${/^(yes|on)$/i.test(value)} without quotes`;
    if (types.has("array")) return "; put the text in brackets: [ … ]";
  }
  if ((typeof value === "number" || typeof value === "boolean") && types.has("string")) return "; put it in quotes";
  return "";
}

/** Advice for known keys in the wrong place. */
const ADVICE: ReadonlyMap<string, string> = new Map([
  ["exec", ', and write tools.exec for all agents, or deny: ["group:runtime"] in the tools of this one'],
  ["sandbox", ", and write sandbox under agents.defaults or an agent"],
  ["byProvider", ", and write tools.byProvider for all agents"],
]);

/** How a path with points is written in a file; nothing for an invalid key. */
function nestedForm(key: string): string {
  if (!key.includes(".")) return "";
  return `; write it as objects in each other: ${key.split(".").reduceRight((inner, part) => `${part}: ${inner === "…" ? inner : `{ ${inner} }`}`, "…")}`;
}

/** A restriction that cannot be parsed is not replaced by an earlier file, which may allow what this one forbids. */
function invalidAt(path: KeyPath, message: string): ConfigProblem {
  return problemAt(isRestriction(path) ? "unenforced" : "invalid-value", path, message);
}
