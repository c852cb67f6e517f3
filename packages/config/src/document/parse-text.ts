import { extname } from "node:path";
import JSON5 from "json5";
import { findDuplicateKey } from "./duplicate-key.ts";
import { indexOf, positionOf, type Position } from "./excerpt.ts";
import { explainJson5Error } from "./explain-json5-error.ts";
import { explainYamlError } from "./explain-yaml-error.ts";
import { isNestedDeeper } from "./nesting.ts";
import { isPlainObject, type Document } from "./plain-object.ts";

/** The format of a configuration file. JSON is read as JSON5. */
export type ConfigFormat = "json5" | "yaml";

/** The parsed file, or its syntax error. */
export type ParsedText =
  | { readonly type: "document"; readonly document: Document }
  /** `position` is absent when the file as a whole is wrong. */
  | { readonly type: "syntax"; readonly message: string; readonly position?: Position };

/** Objects and lists in each other; no setting needs a tenth of it, and what reads the document calls itself for each. */
const MAX_DEPTH = 200;
const TOO_DEEP = { message: `objects and lists stand in each other more than ${MAX_DEPTH} times; no setting needs that` };

/** The format of a file by its extension; JSON5 by default. */
export function formatOf(path: string): ConfigFormat {
  return [".yaml", ".yml"].includes(extname(path).toLowerCase()) ? "yaml" : "json5";
}

/** Parses the text of a configuration file. Never throws. */
export async function parseText(text: string, format: ConfigFormat): Promise<ParsedText> {
  const value = format === "yaml" ? await parseYaml(text) : parseJson5(text);
  if ("message" in value) return { type: "syntax", ...value };
  if (isPlainObject(value.value)) return { type: "document", document: value.value };
  const whole = format === "yaml" ? "keys with values, such as gateway: { port: 18790 }" : "one object: { … }";
  return { type: "syntax", message: value.value === null ? "the file is empty; write {} for the defaults" : `the file must hold ${whole}` };
}

type Value = { readonly value: unknown } | { readonly message: string; readonly position?: Position };

/** Up to the first character of a first line that is a key without an object around it, or a document's beginning. */
const YAML_KEY = /^(?:[ \t]*(?:#.*)?\r?\n)*(?=[\w"'-]+[ \t]*:[ \t\r\n]|---\s)[^]/;
const LOOKS_LIKE_YAML =
  "this looks like YAML, and a file with this ending is read as JSON5; end its name in .yaml, or put one object around the keys: { … }";

function parseJson5(text: string): Value {
  const body = text.replace(/^\uFEFF/, "");
  if (body.trim() === "") return { value: null };
  try {
    const value = JSON5.parse<unknown>(body);
    if (isNestedDeeper(value, MAX_DEPTH)) return TOO_DEEP;
    const twice = findDuplicateKey(body);
    if (twice === undefined) return { value };
    const { key, firstLine, line, index } = twice;
    const message = `"${key}" stands twice in one object, in lines ${firstLine} and ${line}; make one of the two`;
    return { message, position: positionOf(body, index) };
  } catch (error) {
    // The parser calls itself for each.
    if (error instanceof RangeError) return TOO_DEEP;
    const yaml = YAML_KEY.exec(body);
    if (yaml !== null) return { message: LOOKS_LIKE_YAML, position: positionOf(body, yaml[0].length - 1) };
    const { message, index } = explainJson5Error(body, indexOfError(body, error as Json5Error));
    return { message, position: positionOf(body, index) };
  }
}

/** Lines count from 1, columns up to the character that was read last. */
interface Json5Error extends Error {
  readonly lineNumber?: number;
  readonly columnNumber?: number;
}

function indexOfError(text: string, { message, lineNumber = 1, columnNumber = 1 }: Json5Error): number {
  if (message.includes("invalid end of input")) return text.length;
  // A line break that was not expected has been read already.
  if (columnNumber === 0) return indexOf(text, { line: lineNumber - 1, column: Number.MAX_SAFE_INTEGER });
  return indexOf(text, { line: lineNumber, column: columnNumber });
}

async function parseYaml(text: string): Promise<Value> {
  try {
    return await parseYamlDocument(text);
  } catch (error) {
    if (error instanceof RangeError) return TOO_DEEP;
    throw error;
  }
}

async function parseYamlDocument(text: string): Promise<Value> {
  const { parseDocument } = await import("yaml");
  const document = parseDocument(text, { merge: true });
  const [error] = document.errors;
  if (error !== undefined) {
    const { message, index } = explainYamlError(error, text);
    return { message, position: positionOf(text, index) };
  }
  try {
    const value = document.toJS({ maxAliasCount: 100 }) as unknown;
    return isNestedDeeper(value, MAX_DEPTH) ? TOO_DEEP : { value };
  } catch (cause) {
    if (cause instanceof RangeError) throw cause;
    if (cause instanceof Error) return { message: "an alias or a merge key (<<) of this file cannot be resolved" };
    throw cause;
  }
}
