import type { PluginObject } from "@factotum/plugin";

/** UTF-16 units of a plugin's text in the log, and of the JSON of its fields. */
export const MAX_LINE_CHARS = 4_000;

/** The fields of a plugin's line, or a note in place of fields that are too long. */
export function cutFields(fields: PluginObject): PluginObject {
  return JSON.stringify(fields).length > MAX_LINE_CHARS ? { leftOut: "the fields are too long" } : fields;
}
