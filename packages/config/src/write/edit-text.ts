import { isDeepStrictEqual } from "node:util";
import type * as Json5Parser from "@croct/json5-parser";
import type { JsonArrayNode, JsonObjectNode } from "@croct/json5-parser";
import type { JsonValue } from "@factotum/agent-contract";
import { valueAt, type KeyPath } from "../document/key-path.ts";
import { parseText, type ConfigFormat } from "../document/parse-text.ts";
import type { Document } from "../document/plain-object.ts";

/** One edit of a file's text: the value at `path`, `undefined` to remove it. `before` and `after` are the whole document without it and with it. */
export interface TextEdit {
  readonly path: KeyPath;
  readonly value: JsonValue | undefined;
  readonly before: Document;
  readonly after: Document;
}

/** The text of a file after an edit. */
export interface EditedText {
  readonly text: string;
  /** False if the file was rewritten, which loses its comments. */
  readonly keptComments: boolean;
}

/**
 * Makes edits in the text of a configuration, each of the document that the one before it made, and keeps the rest, including comments. The result is parsed again:
 * if it is not exactly the new document (the editing library does not support every shape), the edits are made one by one, and the file is rewritten without its
 * comments for one that cannot be made.
 */
export async function editTexts(text: string, format: ConfigFormat, edits: readonly TextEdit[]): Promise<EditedText> {
  const after = edits.at(-1)?.after;
  if (after === undefined) return { text, keptComments: true };
  const edited = await tryEdits(text, format, edits);
  if (edited !== undefined) {
    const read = await parseText(edited, format);
    if (read.type === "document" && isDeepStrictEqual(plain(read.document), plain(after))) return { text: edited, keptComments: true };
  }
  if (edits.length === 1) return { text: await render(after, format), keptComments: false };
  let result: EditedText = { text, keptComments: true };
  for (const edit of edits) {
    const next = await editText(result.text, format, edit);
    result = { text: next.text, keptComments: result.keptComments && next.keptComments };
  }
  return result;
}

/** Makes one edit by the rules of `editTexts`. */
export async function editText(text: string, format: ConfigFormat, edit: TextEdit): Promise<EditedText> {
  return editTexts(text, format, [edit]);
}

/** The text of a new file. */
export async function render(document: Document, format: ConfigFormat): Promise<string> {
  if (format === "json5") return `${JSON.stringify(document, null, 2)}\n`;
  const { stringify } = await import("yaml");
  return stringify(document);
}

async function tryEdits(text: string, format: ConfigFormat, edits: readonly TextEdit[]): Promise<string | undefined> {
  try {
    return format === "yaml" ? await editYaml(text, edits) : await editJson5(text, edits);
  } catch (error) {
    // The library cannot edit this shape; the caller rewrites the file.
    if (error instanceof Error) return undefined;
    throw error;
  }
}

async function editYaml(text: string, edits: readonly TextEdit[]): Promise<string> {
  const { parseDocument } = await import("yaml");
  const document = parseDocument(text);
  for (const { path, value } of edits) {
    if (value === undefined) document.deleteIn(path);
    else document.setIn(path, document.createNode(value));
  }
  return document.toString({ lineWidth: 0 });
}

type Library = Pick<typeof Json5Parser, "JsonArrayNode" | "JsonObjectNode">;

/** Edits one tree of the text, which is parsed again only after a removal: that is made in the text. */
async function editJson5(text: string, edits: readonly TextEdit[]): Promise<string> {
  const library = await import("@croct/json5-parser");
  const parse = (written: string): JsonObjectNode => library.JsonParser.parse(written, library.JsonObjectNode);
  let root = parse(text);
  let isChanged = false;
  for (const edit of edits) {
    if (edit.value === undefined) {
      const written = isChanged ? root.toString() : text;
      text = removed(isChanged ? parse(written) : root, written, { edit, library });
      root = parse(text);
      isChanged = false;
    } else {
      setIn(root, { edit, library });
      isChanged = true;
    }
  }
  return isChanged ? root.toString() : text;
}

interface TreeEdit {
  readonly edit: TextEdit;
  readonly library: Library;
}

/** Sets the value in the deepest existing object or list; missing levels are created in one step. */
function setIn(root: JsonObjectNode, { edit: { path, before, after }, library }: TreeEdit): void {
  const missing = path.slice(0, -1).findIndex((_, index) => valueAt(before, path.slice(0, index + 1)) === undefined);
  const depth = missing === -1 ? path.length - 1 : missing;
  const node = nodeAt(root, path.slice(0, depth), library);
  const key = path[depth] ?? "";
  const value = inserted(after, path, depth);
  if (!(node instanceof library.JsonArrayNode)) node.set(String(key), value);
  else if (Number(key) < node.elements.length) node.set(Number(key), value);
  else node.push(value);
}

function removed(root: JsonObjectNode, text: string, { edit: { path }, library }: TreeEdit): string {
  const node = nodeAt(root, path.slice(0, -1), library);
  const key = path.at(-1) ?? "";
  const entries = node instanceof library.JsonArrayNode ? node.elements : node.properties;
  const index = node instanceof library.JsonArrayNode ? Number(key) : node.properties.findIndex((entry) => entry.key.toJSON() === key);
  return withoutEntry(text, { entries: entries.map(({ location }) => [location.start.index, location.end.index]), index });
}

function nodeAt(root: JsonObjectNode, path: KeyPath, { JsonArrayNode, JsonObjectNode }: Library): JsonObjectNode | JsonArrayNode {
  let node: JsonObjectNode | JsonArrayNode = root;
  for (const part of path) {
    const child: unknown = node instanceof JsonArrayNode ? node.get(Number(part)) : node.get(String(part));
    if (!(child instanceof JsonArrayNode || child instanceof JsonObjectNode)) throw new Error("there is no object on the way");
    node = child;
  }
  return node;
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
