import { readFile, stat } from "node:fs/promises";
import type { JsonSchema, JsonValue } from "@factotum/agent-contract";
import { configParserOf } from "@factotum/config";
import * as z from "zod";

/** Maximum size of a schema. It is compiled by every command that reads the configuration: at this size that takes some tenths of a second. */
const MAX_SCHEMA_BYTES = 32 * 1024;

/** Keywords that lead to another schema. */
const REFERENCES = ["$ref", "$dynamicRef"];

/**
 * Reads the JSON Schema of a channel's accounts from a package, without running code of it. Rejects with an `Error` whose message completes "its schema …": the
 * file is missing or too large, is no JSON Schema, or refers to something outside of itself.
 */
export async function readSchemaFile(path: string): Promise<JsonSchema> {
  const facts = await stat(path).catch((cause: unknown) => {
    throw new Error(codeOf(cause) === "ENOENT" ? "is missing" : `cannot be read (${codeOf(cause)})`, { cause });
  });
  if (!facts.isFile()) throw new Error("is not a file");
  if (facts.size > MAX_SCHEMA_BYTES) throw new Error(`has ${facts.size} bytes, and at most ${MAX_SCHEMA_BYTES} are allowed`);
  const schema = await parseSchema(path);
  const outside = findOutsideReference(schema);
  if (outside !== undefined)
    throw new Error(`refers to ${JSON.stringify(outside)}, and only references inside the file ("#/…") are allowed`);
  return schema;
}

/** The same, and rejects for a schema with keywords that the configuration does not support. */
export async function checkSchemaFile(path: string): Promise<void> {
  const schema = await readSchemaFile(path);
  try {
    configParserOf(schema);
  } catch (cause) {
    throw new Error(`cannot be used (${cause instanceof Error ? (cause.message.split("\n")[0] ?? "") : "unknown failure"})`, { cause });
  }
}

async function parseSchema(path: string): Promise<JsonSchema> {
  try {
    return z.record(z.string(), z.json()).parse(JSON.parse(await readFile(path, "utf8")));
  } catch (cause) {
    throw new Error("is not a JSON object", { cause });
  }
}

function findOutsideReference(value: JsonValue | undefined): string | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  for (const [key, part] of Object.entries(value)) {
    if (REFERENCES.includes(key) && typeof part === "string" && !part.startsWith("#")) return part;
    const inner = findOutsideReference(part);
    if (inner !== undefined) return inner;
  }
  return undefined;
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "unknown failure";
}
