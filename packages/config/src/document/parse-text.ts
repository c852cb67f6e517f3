import { extname } from "node:path";
import JSON5 from "json5";
import { findDuplicateKey } from "./duplicate-key.ts";
import { isPlainObject, type Document } from "./plain-object.ts";

/** How a configuration file is written. JSON is read as the JSON5 that it is. */
export type ConfigFormat = "json5" | "yaml";

/** The parsed file, or its syntax error. */
export type ParsedText = { readonly type: "document"; readonly document: Document } | { readonly type: "syntax"; readonly message: string };

/** The format of a file by its extension; JSON5 by default. */
export function formatOf(path: string): ConfigFormat {
  return [".yaml", ".yml"].includes(extname(path).toLowerCase()) ? "yaml" : "json5";
}

/** Reads the text of a configuration file. Never throws. */
export async function parseText(text: string, format: ConfigFormat): Promise<ParsedText> {
  const value = format === "yaml" ? await parseYaml(text) : parseJson5(text);
  if ("message" in value) return { type: "syntax", message: value.message };
  if (isPlainObject(value.value)) return { type: "document", document: value.value };
  return { type: "syntax", message: value.value === null ? "the file is empty" : "the file must hold one object" };
}

type Value = { readonly value: unknown } | { readonly message: string };

function parseJson5(text: string): Value {
  const body = text.replace(/^\uFEFF/, "");
  if (body.trim() === "") return { value: null };
  try {
    const value = JSON5.parse<unknown>(body);
    const twice = findDuplicateKey(body);
    if (twice === undefined) return { value };
    const { key, firstLine, line } = twice;
    return { message: `"${key}" stands twice in one object, in lines ${firstLine} and ${line}; make one of the two` };
  } catch (error) {
    return { message: (error as Error).message.replace(/^JSON5: /, "") };
  }
}

async function parseYaml(text: string): Promise<Value> {
  const { parseDocument } = await import("yaml");
  const document = parseDocument(text, { merge: true });
  const [error] = document.errors;
  if (error !== undefined) return { message: error.message.split("\n")[0] ?? error.message };
  try {
    return { value: document.toJS({ maxAliasCount: 100 }) as unknown };
  } catch (cause) {
    return { message: (cause as Error).message };
  }
}
