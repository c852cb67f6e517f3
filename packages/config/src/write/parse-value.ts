import type { JsonValue } from "@factotum/agent-contract";
import JSON5 from "json5";

/** Reads a value that a person typed: JSON5 where it is that (`5`, `true`, `["read"]`), else the text itself. */
export function parseTypedValue(text: string): JsonValue {
  try {
    return JSON5.parse<JsonValue>(text);
  } catch (error) {
    if (error instanceof SyntaxError) return text;
    throw error;
  }
}
