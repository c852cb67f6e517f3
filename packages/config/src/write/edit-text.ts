import { isDeepStrictEqual } from "node:util";
import type { JsonArrayNode, JsonObjectNode } from "@croct/json5-parser";
import type { JsonValue } from "@factotum/agent-contract";
import { valueAt, type KeyPath } from "../document/key-path.ts";
import { parseText, type ConfigFormat } from "../document/parse-text.ts";
import type { Document } from "../document/plain-object.ts";

/** One edit of a file's text: the value at `path`, `undefined` to remove it. `after` is the whole document that must result. */
export interface TextEdit {
  readonly path: KeyPath;
  readonly value: JsonValue | undefined;
  readonly before: Document;
  readonly after: Document;
}

/**
 * Changes one value in the text of a configuration and keeps the rest, including comments. The result is parsed again: if it is not exactly the new document
 * (the editing library does not support every shape), the file is rewritten without its comments.
 */
export async function editText(
  text: string,
  format: ConfigFormat,
  edit: TextEdit,
): Promise<{ readonly text: string; readonly keptComments: boolean }> {
  const edited = await tryEdit(text, format, edit);
  if (edited !== undefined) {
    const read = await parseText(edited, format);
    if (read.type === "document" && isDeepStrictEqual(plain(read.document), plain(edit.after))) return { text: edited, keptComments: true };
  }
  return { text: await render(edit.after, format), keptComments: false };
}

/** The text of a new file. */
export async function render(document: Document, format: ConfigFormat): Promise<string> {
  if (format === "json5") return `${JSON.stringify(document, null, 2)}\n`;
  const { stringify } = await import("yaml");
  return stringify(document);
}

async function tryEdit(text: string, format: ConfigFormat, edit: TextEdit): Promise<string | undefined> {
  try {
    return format === "yaml" ? await editYaml(text, edit) : await editJson5(text, edit);
  } catch (error) {
    // The library cannot edit this shape; the caller rewrites the file.
    if (error instanceof Error) return undefined;
    throw error;
  }
}

async function editYaml(text: string, { path, value }: TextEdit): Promise<string> {
  const { parseDocument } = await import("yaml");
  const document = parseDocument(text);
  if (value === undefined) document.deleteIn(path);
  else document.setIn(path, document.createNode(value));
  return document.toString({ lineWidth: 0 });
}

/** Sets the value in the deepest existing object or list; missing levels are created in one step. */
async function editJson5(text: string, edit: TextEdit): Promise<string> {
  const { path, value, before, after } = edit;
  const { JsonArrayNode, JsonObjectNode, JsonParser } = await import("@croct/json5-parser");
  const missing = path.slice(0, -1).findIndex((_, index) => valueAt(before, path.slice(0, index + 1)) === undefined);
  const depth = missing === -1 ? path.length - 1 : missing;
  const root = JsonParser.parse(text, JsonObjectNode);
  let node: JsonObjectNode | JsonArrayNode = root;
  for (const part of path.slice(0, depth)) {
    const child: unknown = node instanceof JsonArrayNode ? node.get(Number(part)) : node.get(String(part));
    if (!(child instanceof JsonArrayNode || child instanceof JsonObjectNode)) throw new Error("there is no object on the way");
    node = child;
  }
  const key = path[depth] ?? "";
  if (value === undefined) {
    const entries = node instanceof JsonArrayNode ? node.elements : node.properties;
    const index = node instanceof JsonArrayNode ? Number(key) : node.properties.findIndex((entry) => entry.key.toJSON() === key);
    return withoutEntry(text, { entries: entries.map(({ location }) => [location.start.index, location.end.index]), index });
  }
  if (!(node instanceof JsonArrayNode)) node.set(String(key), inserted(after, path, depth));
  else if (Number(key) < node.elements.length) node.set(Number(key), inserted(after, path, depth));
  else node.push(inserted(after, path, depth));
  return root.toString();
}

/** Removes one entry and its comma from a text; comments stay, a line without other content is removed. The library loses comments here. */
function withoutEntry(
  text: string,
  { entries, index }: { readonly entries: readonly (readonly [start: number, end: number])[]; readonly index: number },
): string {
  const [start, end] = entries[index] ?? [0, 0];
  const previousEnd = entries[index - 1]?.[1] ?? start;
  let [head, tail] = [text.slice(0, start), text.slice(end)];
  const comma = afterTrivia(tail);
  const commaBefore = afterTrivia(text.slice(previousEnd, start));
  if (tail[comma] === ",") tail = tail.slice(0, comma) + tail.slice(comma + 1);
  else if (previousEnd < start) head = head.slice(0, previousEnd + commaBefore) + head.slice(previousEnd + commaBefore + 1);
  const isWholeLine = /^[^\S\n]*\n/.test(tail) && /\n[^\S\n]*$/.test(head);
  if (isWholeLine) return head.replace(/[^\S\n]*$/, "") + tail.replace(/^[^\S\n]*\n/, "");
  return /\s$/.test(head) ? head + tail.trimStart() : head + tail;
}

/** Where the first token of a text begins, after spaces and comments. */
function afterTrivia(text: string): number {
  const trivia = /(?:\s+|\/\/[^\n\r\u2028\u2029]*|\/\*[\s\S]*?\*\/)/y;
  let index = 0;
  while (trivia.test(text)) index = trivia.lastIndex;
  return index;
}

function inserted(after: Document, path: KeyPath, depth: number): Parameters<JsonArrayNode["push"]>[number] {
  return valueAt(after, path.slice(0, depth + 1)) as Parameters<JsonArrayNode["push"]>[number];
}

/** Without `undefined` and without prototypes, so that two parses of one document are equal. */
function plain(document: Document): unknown {
  return JSON.parse(JSON.stringify(document));
}
