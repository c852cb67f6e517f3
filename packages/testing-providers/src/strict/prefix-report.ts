import type { JsonObject, JsonValue } from "../json.ts";

/**
 * The part of a request that the model reads and that the vendor caches, in the order in which it is cached, with cache marks taken
 * off. Each entry is the JSON text of one tool, system text or message.
 *
 * Keys keep the order in which they were sent: two entries are equal when the bytes that `JSON.stringify` sends for them are.
 */
export interface CanonicalRequest {
  readonly tools: readonly string[];
  readonly system: readonly string[];
  readonly messages: readonly string[];
}

/** Where the next request stops being an extension of the previous one. */
export type PrefixReport =
  | { readonly type: "prefix"; readonly appendedMessages: number }
  | {
      readonly type: "broken";
      readonly part: "tools" | "system" | "messages";
      /** Of the first entry that differs. */
      readonly index: number;
      /** Characters that the two entries have in common at their start. */
      readonly commonCharacters: number;
      /** Undefined when the entry is missing on that side. */
      readonly previous: string | undefined;
      readonly next: string | undefined;
    };

/** Compares two requests of one conversation, the earlier one first. */
export function compareCanonical(before: CanonicalRequest, after: CanonicalRequest): PrefixReport {
  for (const part of ["tools", "system", "messages"] as const) {
    const length = part === "messages" ? before[part].length : Math.max(before[part].length, after[part].length);
    for (let index = 0; index < length; index += 1) {
      const [old, now] = [before[part][index], after[part][index]];
      if (old !== now)
        return { type: "broken", part, index, commonCharacters: commonLength(old ?? "", now ?? ""), previous: old, next: now };
    }
  }
  return { type: "prefix", appendedMessages: after.messages.length - before.messages.length };
}

/** One entry per object of a list; none for another value. */
export function entriesOf(value: JsonValue | undefined, render: (item: JsonObject) => JsonValue = (item) => item): readonly string[] {
  if (!Array.isArray(value)) return [];
  return value.map((item: JsonValue) =>
    JSON.stringify(typeof item === "object" && item !== null && !Array.isArray(item) ? render(item as JsonObject) : item),
  );
}

function commonLength(left: string, right: string): number {
  let length = 0;
  while (length < left.length && length < right.length && left[length] === right[length]) length += 1;
  return length;
}
