import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "../json.ts";

/**
 * The part of a request that the model reads and that the vendor caches, in the order in which it is cached, with the cache marks
 * taken off. Each entry is the JSON text of one tool, system block or message; text given as a string stands as its one block,
 * because a mark can stand on a block only.
 *
 * Keys keep the order in which they were sent: two entries are equal when the bytes that `JSON.stringify` sends for them are.
 */
export interface CanonicalRequest {
  readonly tools: readonly string[];
  readonly system: readonly string[];
  readonly messages: readonly string[];
}

/** Where the next request stops being the previous one plus appended messages. */
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

/** Takes a parsed request body apart; see {@link CanonicalRequest}. */
export function canonicalRequest(body: JsonObject): CanonicalRequest {
  return {
    tools: listOf(body["tools"]).map((tool) => JSON.stringify(unmarked(tool))),
    system: contentBlocks(body["system"]).map((block) => JSON.stringify(block)),
    messages: listOf(body["messages"]).map((message) =>
      JSON.stringify(isJsonObject(message) ? { ...message, content: contentBlocks(message["content"]) } : message),
    ),
  };
}

/** Compares two requests of one conversation, the earlier one first. */
export function prefixReport(previous: JsonObject, next: JsonObject): PrefixReport {
  const before = canonicalRequest(previous);
  const after = canonicalRequest(next);
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

/** True when `next` is `previous` plus appended messages, cache marks aside: tools and system equal, no old message changed. */
export function isPrefixOf(previous: JsonObject, next: JsonObject): boolean {
  return prefixReport(previous, next).type === "prefix";
}

/** Content as blocks without cache marks; a string is one text block. */
function contentBlocks(content: JsonValue | undefined): readonly JsonValue[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  return listOf(content).map(unmarkedBlock);
}

/** One content block without its cache mark and without those of the blocks in it. */
export function unmarkedBlock(block: JsonValue): JsonValue {
  const bare = unmarked(block);
  if (!isJsonObject(bare) || bare["type"] !== "tool_result" || !isJsonArray(bare["content"])) return bare;
  return { ...bare, content: bare["content"].map(unmarked) };
}

/** The value without its own cache mark; a property of that name deeper down (a tool's schema, a call's input) is data and stays. */
export function unmarked(value: JsonValue): JsonValue {
  if (!isJsonObject(value) || !("cache_control" in value)) return value;
  const { cache_control: _mark, ...rest } = value;
  return rest;
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return isJsonArray(value) ? value : [];
}

function commonLength(left: string, right: string): number {
  let length = 0;
  while (length < left.length && length < right.length && left[length] === right[length]) length += 1;
  return length;
}
