import type { JsonValue } from "@factotum/agent-contract";
import JSON5 from "json5";

/** Parses a typed value: JSON5 if valid (`5`, `true`, `["read"]`), else the text itself. */
export function parseTypedValue(text: string): JsonValue {
  try {
    return JSON5.parse<JsonValue>(text);
  } catch (error) {
    if (error instanceof SyntaxError) return text;
    throw error;
  }
}
