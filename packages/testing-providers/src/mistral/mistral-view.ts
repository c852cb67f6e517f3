import { isJsonObject, type JsonObject } from "../json.ts";
import { objectsOf, promptTokensOf, stringOf } from "../openai/read-body.ts";
import { findMistralModel, type MistralModel } from "./models.ts";

interface CallView {
  readonly id: string;
  readonly name: string;
}

export interface MistralMessage {
  readonly role: string;
  readonly value: JsonObject;
  readonly parts: readonly JsonObject[];
  readonly calls: readonly CallView[];
  /** Undefined when it has none. */
  readonly toolCallId: string | undefined;
}

/** A body of the right shape, prepared for the rules. */
export interface MistralView {
  readonly body: JsonObject;
  readonly modelId: string;
  readonly model: MistralModel | undefined;
  readonly messages: readonly MistralMessage[];
  readonly functions: readonly { readonly name: string; readonly parameters: JsonObject }[];
  /** Estimated, of the whole prompt. */
  readonly promptTokens: number;
}

export function viewMistral(body: JsonObject, models: Readonly<Record<string, MistralModel>>): MistralView {
  const modelId = stringOf(body["model"]);
  return {
    body,
    modelId,
    model: findMistralModel(modelId, models),
    messages: objectsOf(body["messages"]).map((value) => ({
      role: stringOf(value["role"]),
      value,
      parts: objectsOf(value["content"]),
      calls: objectsOf(value["tool_calls"]).map((call) => ({
        // An omitted value counts as the text "null" with this vendor.
        id: typeof call["id"] === "string" ? call["id"] : "null",
        name: isJsonObject(call["function"]) ? stringOf(call["function"]["name"]) : "",
      })),
      toolCallId: typeof value["tool_call_id"] === "string" ? value["tool_call_id"] : undefined,
    })),
    functions: objectsOf(body["tools"]).map(({ function: fn }) => {
      const { name, parameters } = isJsonObject(fn) ? fn : {};
      return { name: stringOf(name), parameters: isJsonObject(parameters) ? parameters : {} };
    }),
    promptTokens: promptTokensOf([body["tools"], body["messages"]]),
  };
}
