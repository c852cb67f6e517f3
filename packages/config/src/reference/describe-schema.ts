import type { JsonSchema } from "@factotum/agent-contract";
import { isPlainObject, type Document } from "../document/plain-object.ts";
import type { ChannelSchema } from "../validate/channel-source.ts";
import { alternatives, configJsonSchema } from "../validate/json-schema.ts";

/** Identifies the schema, independent of its location. */
const SCHEMA_ID = "urn:factotum:configuration";
const DIALECT = "https://json-schema.org/draft/2020-12/schema";

/** The JSON Schema of the whole file with its dialect and id, for editors and for the reference. */
export function describedSchema(channels: readonly ChannelSchema[]): JsonSchema {
  return { $schema: DIALECT, $id: SCHEMA_ID, ...configJsonSchema(channels) };
}

/** Part of a path that the owner chooses. */
export const NAME = "<name>";

/** Every key of a schema, as the reference writes it, and whether it has a description. */
export function describedKeys(schema: JsonSchema): ReadonlyMap<string, boolean> {
  const keys = new Map<string, boolean>();
  const visit = (node: Document, at: string): void => {
    for (const form of alternatives(node)) {
      for (const [name, child] of Object.entries((form["properties"] ?? {}) as Readonly<Record<string, Document>>)) {
        const key = at === "" ? name : `${at}.${name}`;
        const isDescribed = [child, ...alternatives(child)].some(
          ({ description }) => typeof description === "string" && description !== "",
        );
        keys.set(key, isDescribed && keys.get(key) !== false);
        visit(child, key);
      }
      for (const [part, step] of [
        ["items", "[]"],
        ["additionalProperties", `.${NAME}`],
      ] as const) {
        const child = form[part];
        if (isPlainObject(child)) visit(child, `${at}${step}`);
      }
    }
  };
  visit(schema as Document, "");
  return keys;
}
