import { isUtf8 } from "node:buffer";
import type { JsonValue } from "@factotum/agent-contract";

/** Levels of objects and lists in a body. */
const MAX_DEPTH = 64;

/** A body, or what is wrong with it. */
export type ParsedBody = { readonly type: "json"; readonly value: JsonValue } | { readonly type: "refused"; readonly message: string };

/**
 * Reads a body as JSON in UTF-8 of at most 64 levels, whatever its content type says, or as a form with the field `payload`, as GitHub sends it. What curl sends
 * with `-d` has the content type of a form: a body that begins as an object is JSON. Pure.
 */
export function parseBody(bytes: Uint8Array, contentType: string): ParsedBody {
  if (!isUtf8(bytes)) return refused("The body is not UTF-8 text.");
  const text = Buffer.from(bytes).toString("utf8");
  if (/^application\/x-www-form-urlencoded\b/i.test(contentType) && !/^\s*\{/.test(text)) return parseForm(new URLSearchParams(text));
  return parseText(text);
}

function parseText(text: string): ParsedBody {
  if (depthOf(text) > MAX_DEPTH) return refused(`The body is nested deeper than ${MAX_DEPTH} levels.`);
  try {
    return { type: "json", value: JSON.parse(text) as JsonValue };
  } catch (error) {
    if (error instanceof SyntaxError) return refused("The body is not valid JSON.");
    throw error;
  }
}

function parseForm(fields: URLSearchParams): ParsedBody {
  const payload = fields.get("payload");
  return payload === null ? { type: "json", value: Object.fromEntries(fields) } : parseText(payload);
}

/** The deepest nesting of brackets outside of texts, without parsing them. */
function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  let isInText = false;
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at];
    if (isInText && char === "\\") at += 1;
    else if (char === '"') isInText = !isInText;
    else if (!isInText && (char === "{" || char === "[")) deepest = Math.max(deepest, (depth += 1));
    else if (!isInText && (char === "}" || char === "]")) depth -= 1;
  }
  return deepest;
}

function refused(message: string): ParsedBody {
  return { type: "refused", message };
}
