import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "../json.ts";
import type { CanonicalRequest } from "../strict/prefix-report.ts";

/** Splits a parsed body; text given as a string becomes its single block, because only a block can have a mark. */
export function canonicalAnthropic(body: JsonObject): CanonicalRequest {
  return {
    tools: listOf(body["tools"]).map((tool) => JSON.stringify(unmarked(tool))),
    system: contentBlocks(body["system"]).map((block) => JSON.stringify(block)),
    messages: listOf(body["messages"]).map((message) =>
      JSON.stringify(isJsonObject(message) ? { ...message, content: contentBlocks(message["content"]) } : message),
    ),
  };
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
