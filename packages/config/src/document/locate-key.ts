import JSON5 from "json5";
import { JSON5_TOKEN } from "./duplicate-key.ts";
import type { KeyPath } from "./key-path.ts";
import type { ConfigFormat } from "./parse-text.ts";

/** The subject of a problem: the value of a key, or the key itself. */
type Aim = "key" | "value";

/** Finds keys in the text of a file; created once for all of its problems. */
export interface KeyLocator {
  /** The index of the key or its value; that of its nearest written ancestor if it is not written. `undefined` if the text cannot be searched. */
  locate(path: KeyPath, aim: Aim): number | undefined;
}

/** Reads the places of a valid text. Never throws. */
export async function createKeyLocator(text: string, format: ConfigFormat): Promise<KeyLocator> {
  try {
    return format === "yaml" ? await yamlLocator(text) : json5Locator(text);
  } catch (error) {
    // The library does not support this shape; the problem is reported without a position.
    if (error instanceof Error) return { locate: () => undefined };
    throw error;
  }
}

interface OpenValue {
  readonly path: KeyPath;
  /** The key whose value is next, in an object; the index of the next entry, in a list. */
  next: string | number | undefined;
}

/** Walks over the tokens of a valid text: the editing library refuses some keys, such as `var`, that JSON5 allows. */
function json5Locator(text: string): KeyLocator {
  const places = new Map<string, Readonly<Record<Aim, number>>>();
  const open: OpenValue[] = [];
  let last = { text: "", index: 0 };
  let keyIndex = 0;
  for (const { 0: token, index } of text.replace(/^\uFEFF/, " ").matchAll(JSON5_TOKEN)) {
    if (token.startsWith("//") || token.startsWith("/*")) continue;
    const parent = open.at(-1);
    if (token === ":" && parent !== undefined) {
      parent.next = Object.keys(JSON5.parse<object>(`{${last.text}:0}`))[0] ?? "";
      keyIndex = last.index;
    } else if (token === "}" || token === "]") {
      open.pop();
    } else if (token === ",") {
      if (parent !== undefined) parent.next = typeof parent.next === "number" ? parent.next + 1 : undefined;
    } else if (parent === undefined || parent.next !== undefined) {
      const path = parent?.next === undefined ? [] : [...parent.path, parent.next];
      places.set(JSON.stringify(path), { key: typeof parent?.next === "string" ? keyIndex : index, value: index });
      if (token === "{" || token === "[") open.push({ path, next: token === "[" ? 0 : undefined });
    }
    last = { text: token, index };
  }
  const locate = (path: KeyPath, aim: Aim): number | undefined => {
    const own = places.get(JSON.stringify(path))?.[aim];
    return own ?? (path.length === 0 ? undefined : locate(path.slice(0, -1), "value"));
  };
  return { locate };
}

async function yamlLocator(text: string): Promise<KeyLocator> {
  const { isMap, isScalar, isSeq, parseDocument } = await import("yaml");
  const { contents } = parseDocument(text, { merge: true });
  const startOf = (node: unknown): number | undefined => {
    const range = typeof node === "object" && node !== null && "range" in node ? node.range : undefined;
    return Array.isArray(range) && typeof range[0] === "number" ? range[0] : undefined;
  };
  const locate = (path: KeyPath, aim: Aim): number | undefined => {
    let node: unknown = contents;
    let start = startOf(node);
    for (const [index, part] of path.entries()) {
      if (isSeq(node)) {
        const child: unknown = node.items[Number(part)];
        if (child === undefined) break;
        node = child;
        start = startOf(child) ?? start;
      } else if (isMap(node)) {
        const pair = node.items.find(({ key }) => (isScalar(key) ? String(key.value) : String(key)) === String(part));
        if (pair === undefined) break;
        node = pair.value;
        start = (aim === "key" && index === path.length - 1 ? startOf(pair.key) : (startOf(pair.value) ?? startOf(pair.key))) ?? start;
      } else {
        break;
      }
    }
    return start;
  };
  return { locate };
}
