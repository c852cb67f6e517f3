import type { JsonValue } from "@factotum/agent-contract";
import { cutText } from "@factotum/agent-core";

/** A request, for templates and conditions. Names of headers are in lower case. */
export interface WebhookFacts {
  readonly body: JsonValue;
  readonly headers: Readonly<Record<string, string | undefined>>;
}

/** UTF-16 units of one value in a text. */
const MAX_VALUE_CHARS = 16_000;
const PLACEHOLDER = /\{\{\s*([^{}]+?)\s*\}\}/g;
const HEADER = /^headers\.([\w-]+)$/;
const STEP = /\.?([^.[\]]+)|\[(\d+)\]/gy;

/** The text of a value: objects and lists as JSON, a missing one as an empty text. */
function textAt(path: string, { body, headers }: WebhookFacts): string {
  const header = HEADER.exec(path)?.[1];
  if (header !== undefined && headers[header.toLowerCase()] !== undefined) return headers[header.toLowerCase()] ?? "";
  const value = valueAt(path, body);
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Replaces each `{{path}}` by the value of the request at `a[0].b`, or by a header (`headers.x-event`). Values are inserted once: braces in them stay. Pure. */
export function renderTemplate(
  template: string,
  facts: WebhookFacts,
  { escape = (text) => text }: { readonly escape?: (text: string) => string } = {},
): string {
  return template.replaceAll(PLACEHOLDER, (_whole, path: string) => escape(cutText(textAt(path, facts), MAX_VALUE_CHARS, "…")));
}

/** The first path of a template at which a request has no value, or an empty one; `undefined` if it has all of them. Pure. */
export function missingPath(template: string, facts: WebhookFacts): string | undefined {
  return [...template.matchAll(PLACEHOLDER)].map(([, path = ""]) => path).find((path) => textAt(path, facts) === "");
}

/** True if a request has all the values. */
export function matchesAll(match: Readonly<Record<string, string | readonly string[]>>, facts: WebhookFacts): boolean {
  return Object.entries(match).every(([path, wanted]) => [wanted].flat().includes(textAt(path, facts)));
}

/** The value at `a[0].b`; only own properties are followed, so that no name reaches a prototype. */
function valueAt(path: string, body: JsonValue): JsonValue | undefined {
  let value: JsonValue | undefined = body;
  let end = 0;
  for (const { 0: step, 1: key, 2: index } of path.matchAll(STEP)) {
    end += step.length;
    if (typeof value !== "object" || value === null) return undefined;
    if (index !== undefined) value = Array.isArray(value) ? value[Number(index)] : undefined;
    else if (key !== undefined && !Array.isArray(value) && Object.hasOwn(value, key))
      value = (value as Readonly<Record<string, JsonValue>>)[key];
    else return undefined;
  }
  return end === path.length ? value : undefined;
}
