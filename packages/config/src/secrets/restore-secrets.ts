import { isDeepStrictEqual } from "node:util";
import { valueAt, type KeyPath } from "../document/key-path.ts";
import { isPlainObject, type Document } from "../document/plain-object.ts";
import { REDACTED } from "../schema/secret.ts";
import { redactionMarks, redactSecrets } from "./redact.ts";

/**
 * A copy of a value to be written in which marks stand for what the document has at the same place. An entry of a list is the one that looks the same, or has the
 * same `id` or `name`, wherever it was moved; otherwise the one that was there, if no other entry takes it. A mark without such a secret stays, and is refused.
 */
export function restoreSecrets(value: unknown, before: Document, path: KeyPath): unknown {
  return restored(value, valueAt(before, path), path);
}

function restored(value: unknown, present: unknown, path: KeyPath): unknown {
  if (typeof value === "string") {
    const isSame = value.includes(REDACTED) && typeof present === "string" && redactSecrets(present, path) === value;
    return isSame ? present : value;
  }
  if (Array.isArray(value)) return restoredList(value, Array.isArray(present) ? present : [], path);
  if (!isPlainObject(value)) return value;
  const of = (key: string): unknown => (isPlainObject(present) && Object.hasOwn(present, key) ? present[key] : undefined);
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, restored(entry, of(key), [...path, key])]));
}

function restoredList(list: readonly unknown[], present: readonly unknown[], path: KeyPath): readonly unknown[] {
  const shown = redactSecrets(present, path) as readonly unknown[];
  return list.map((entry, index) => {
    if (redactionMarks(entry).length === 0) return entry;
    const same = indexesOf(shown, entry);
    if (same.length === 0) return restored(entry, present[partnerOf(index, { list, shown }) ?? -1], [...path, index]);
    const [first] = same;
    if (same.every((at) => isDeepStrictEqual(present[at], present[first ?? 0]))) return present[first ?? 0];
    // Entries that look the same are told apart by their order, if none was added or removed.
    const copies = indexesOf(list, entry);
    return copies.length === same.length ? present[same[copies.indexOf(index)] ?? 0] : entry;
  });
}

/** The earlier entry that a changed one was; `undefined` if that is uncertain. */
function partnerOf(
  index: number,
  { list, shown }: { readonly list: readonly unknown[]; readonly shown: readonly unknown[] },
): number | undefined {
  const isTaken = (at: number): boolean => indexesOf(list, shown[at]).length > 0;
  const name = nameOf(list[index]);
  const named = name === undefined ? [] : shown.flatMap((entry, at) => (nameOf(entry) === name ? [at] : []));
  const [first] = named;
  if (first !== undefined) {
    const isOne = named.length === 1 && list.filter((entry) => nameOf(entry) === name).length === 1;
    return isOne ? first : undefined;
  }
  const earlier = nameOf(shown[index]);
  const hasMoved = earlier !== undefined && list.some((entry) => nameOf(entry) === earlier);
  return list.length === shown.length && !isTaken(index) && !hasMoved ? index : undefined;
}

function indexesOf(list: readonly unknown[], wanted: unknown): readonly number[] {
  return list.flatMap((entry, index) => (isDeepStrictEqual(entry, wanted) ? [index] : []));
}

function nameOf(entry: unknown): string | undefined {
  if (!isPlainObject(entry)) return undefined;
  const name = [entry["id"], entry["name"]].find((one) => typeof one === "string");
  return typeof name === "string" ? name : undefined;
}
