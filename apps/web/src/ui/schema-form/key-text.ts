/** The path of a value: keys of objects and indexes of lists. */
export type KeyPath = readonly (string | number)[];

/** A path as the configuration writes it: `agents.list[0].model`, `models.providers["my.provider"].baseUrl`. */
export function keyText(path: KeyPath): string {
  return path
    .map((part, index) => {
      if (typeof part === "number") return `[${part}]`;
      if (/^[^.[\]"]+$/.test(part)) return index === 0 ? part : `.${part}`;
      return `[${JSON.stringify(part)}]`;
    })
    .join("");
}

/** True if `key` is at `place` or below it. */
export function isAt(key: string, place: string): boolean {
  return key === place || (key.startsWith(place) && /^[.[]/.test(key.slice(place.length)));
}

/** The value at a path, own keys only. */
export function valueAt(value: unknown, path: KeyPath): unknown {
  return path.reduce<unknown>((node, part) => {
    if (typeof node !== "object" || node === null || !Object.hasOwn(node, part)) return undefined;
    return (node as Readonly<Record<string | number, unknown>>)[part];
  }, value);
}
