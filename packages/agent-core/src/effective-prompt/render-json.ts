import type { JsonValue } from "@factotum/agent-contract";

/** JSON on exactly one line, for every definition of a line break; `undefined` fields are omitted. */
export function renderJson(value: JsonValue): string {
  return JSON.stringify(value).replace(/[\u007f-\u009f\u2028\u2029]/gu, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
