import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "../json.ts";
import type { AnthropicApiVersion } from "./api-versions.ts";
import { type AnthropicModel, findAnthropicModel } from "./models.ts";
import { sumTokens } from "./tokens.ts";

/** A content block with its position, named as in the vendor's errors. */
export interface BlockView {
  /** `messages.2.content.0`, `system.1`, `messages.2.content.0.tool_result.content.1`. */
  readonly path: string;
  readonly type: string;
  readonly value: JsonObject;
  /** The blocks inside a tool result. */
  readonly nested: readonly BlockView[];
}

export interface MessageView {
  readonly path: string;
  readonly role: JsonValue | undefined;
  readonly value: JsonObject;
  /** A string counts as one text block; an empty one as none. */
  readonly blocks: readonly BlockView[];
}

export interface ToolView {
  readonly path: string;
  readonly name: string;
  readonly value: JsonObject;
}

/** A request body prepared for the rules. Values of a wrong type are skipped: the rule about types reports them. */
export interface RequestView {
  readonly version: AnthropicApiVersion;
  readonly body: JsonObject;
  readonly modelId: string;
  readonly model: AnthropicModel | undefined;
  readonly tools: readonly ToolView[];
  readonly system: readonly BlockView[];
  readonly messages: readonly MessageView[];
  /** Estimated, of the whole prompt. */
  readonly promptTokens: number;
}

export function viewRequest(body: JsonObject, models: Readonly<Record<string, AnthropicModel>>, version: AnthropicApiVersion): RequestView {
  const modelId = typeof body["model"] === "string" ? body["model"] : "";
  const objects = (value: JsonValue | undefined): (readonly [index: number, value: JsonObject])[] =>
    isJsonArray(value) ? value.flatMap((item, index) => (isJsonObject(item) ? [[index, item] as const] : [])) : [];
  return {
    version,
    body,
    modelId,
    model: findAnthropicModel(modelId, models),
    tools: objects(body["tools"]).map(([index, value]) => ({
      path: `tools.${index}.custom`,
      name: typeof value["name"] === "string" ? value["name"] : "",
      value,
    })),
    system: viewBlocks(body["system"], "system"),
    messages: objects(body["messages"]).map(([index, value]) => ({
      path: `messages.${index}`,
      role: value["role"],
      value,
      blocks: viewBlocks(value["content"], `messages.${index}.content`),
    })),
    promptTokens: sumTokens(body["tools"]) + sumTokens(body["system"]) + sumTokens(body["messages"]),
  };
}

function viewBlocks(content: JsonValue | undefined, path: string): readonly BlockView[] {
  if (typeof content === "string")
    return content === "" ? [] : [{ path: `${path}.0`, type: "text", value: { type: "text", text: content }, nested: [] }];
  if (!isJsonArray(content)) return [];
  return content.flatMap((value, index) => {
    if (!isJsonObject(value)) return [];
    const type = typeof value["type"] === "string" ? value["type"] : "";
    const own = `${path}.${index}`;
    return [{ path: own, type, value, nested: type === "tool_result" ? viewBlocks(value["content"], `${own}.tool_result.content`) : [] }];
  });
}

/** Every block of the messages; those inside a tool result follow it. */
export function* messageBlocks(view: RequestView): Generator<BlockView> {
  for (const message of view.messages) {
    for (const block of message.blocks) {
      yield block;
      yield* block.nested;
    }
  }
}

/** Every block of a type in the messages. */
export function* blocksOfType(view: RequestView, type: string): Generator<BlockView> {
  for (const block of messageBlocks(view)) if (block.type === type) yield block;
}
