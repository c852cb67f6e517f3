import { isPlainObject, type Document } from "./plain-object.ts";

/** The path of a value: keys of objects and indexes of lists. */
export type KeyPath = readonly (string | number)[];

/** An invalid key path. */
export class KeyPathError extends Error {
  constructor(text: string, reason: string) {
    super(`"${text}" is no key: ${reason}. Write it like agents.list[0].model or models.providers["my.provider"].baseUrl.`);
    this.name = "KeyPathError";
  }
}

const FORBIDDEN: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);
const PART = /\[(\d+)\]|\["((?:[^"\\]|\\.)*)"\]|([^.[\]"]+)/y;

/** Parses `agents.list[0].model`, `models["openai/gpt-5"]`. Throws a `KeyPathError`. */
export function parseKeyPath(text: string): KeyPath {
  const path: (string | number)[] = [];
  let position = 0;
  while (position < text.length) {
    if (path.length > 0 && text[position] === ".") position += 1;
    PART.lastIndex = position;
    const match = PART.exec(text);
    const bracketed = text[position] === "[";
    const separated = position === 0 || bracketed || text[position - 1] === ".";
    if (match === null || !separated) throw new KeyPathError(text, `it cannot be read from character ${position + 1}`);
    const [whole, index, quoted, plain] = match;
    const key = quoted === undefined ? plain : unquote(text, quoted);
    if (key !== undefined && FORBIDDEN.has(key)) throw new KeyPathError(text, `"${key}" cannot be set`);
    path.push(key ?? Number(index));
    position += whole.length;
  }
  if (path.length === 0) throw new KeyPathError(text, "it is empty");
  if (text.endsWith(".")) throw new KeyPathError(text, "it ends with a point");
  return path;
}

/** Renders a key path so that `parseKeyPath` reads it. */
export function formatKeyPath(path: KeyPath): string {
  return path
    .map((part, index) => {
      if (typeof part === "number") return `[${part}]`;
      if (/^[^.[\]"]+$/.test(part)) return index === 0 ? part : `.${part}`;
      return `[${JSON.stringify(part)}]`;
    })
    .join("");
}

/** The value at `path`, own keys only. */
export function valueAt(document: unknown, path: KeyPath): unknown {
  let value = document;
  for (const part of path) {
    if (Array.isArray(value)) value = typeof part === "number" ? (value as unknown[])[part] : undefined;
    else if (isPlainObject(value)) value = Object.hasOwn(value, part) ? value[part] : undefined;
    else return undefined;
  }
  return value;
}

/** A copy of `document` without the value at `path`; a no-op if there is none. */
export function without(document: Document, path: KeyPath): Document {
  return edited(document, path, undefined) as Document;
}

/** A copy of `document` without the keys at `paths`, made in one pass. */
export function withoutAll(document: Document, paths: readonly KeyPath[]): Document {
  const root: Removal = { isWhole: false, inside: new Map() };
  for (const path of paths) {
    let at = root;
    for (const part of path) {
      const next = at.inside.get(part) ?? { isWhole: false, inside: new Map() };
      at.inside.set(part, next);
      at = next;
    }
    at.isWhole = true;
  }
  return pruned(document, root) as Document;
}

/** What is removed of a value: it as a whole, or keys in it. */
interface Removal {
  isWhole: boolean;
  readonly inside: Map<string | number, Removal>;
}

function pruned(node: unknown, { inside }: Removal): unknown {
  if (inside.size === 0) return node;
  if (Array.isArray(node)) {
    return node.flatMap((value: unknown, index): unknown[] => {
      const removal = inside.get(index);
      return removal === undefined ? [value] : removal.isWhole ? [] : [pruned(value, removal)];
    });
  }
  if (!isPlainObject(node)) return node;
  return Object.fromEntries(
    Object.entries(node).flatMap(([key, value]): [string, unknown][] => {
      const removal = inside.get(key);
      return removal === undefined ? [[key, value]] : removal.isWhole ? [] : [[key, pruned(value, removal)]];
    }),
  );
}

/** A copy of `document` with `value` at `path`; missing objects are created. `undefined` removes. */
export function withValue(document: Document, path: KeyPath, value: unknown): Document {
  return edited(document, path, value) as Document;
}

function edited(node: unknown, [part, ...rest]: KeyPath, value: unknown): unknown {
  if (part === undefined) return value;
  if (Array.isArray(node)) return editedList(node as unknown[], part, rest, value);
  if (!isPlainObject(node)) {
    if (value === undefined) return node;
    return edited(typeof part === "number" ? [] : {}, [part, ...rest], value);
  }
  const { [part]: before, ...others } = node;
  if (value === undefined && !Object.hasOwn(node, part)) return node;
  const after = edited(before, rest, value);
  if (after === undefined) return others;
  return Object.hasOwn(node, part) ? { ...node, [part]: after } : { ...others, [part]: after };
}

function editedList(list: readonly unknown[], part: string | number, rest: KeyPath, value: unknown): unknown {
  if (typeof part !== "number" || (value === undefined && part >= list.length)) return list;
  if (part > list.length) throw new KeyPathError(`[${part}]`, `the list has ${list.length} entries, the next index is ${list.length}`);
  const after = edited(list[part], rest, value);
  if (after === undefined) return list.toSpliced(part, 1);
  return part === list.length ? [...list, after] : list.with(part, after);
}

function unquote(text: string, quoted: string): string {
  try {
    return JSON.parse(`"${quoted}"`) as string;
  } catch (error) {
    throw new KeyPathError(text, `"${quoted}" is no quoted name (${(error as Error).message})`);
  }
}
