import { isJsonObject, type JsonObject } from "../json.ts";
import type { FunctionsView } from "../openai/function-schema-rules.ts";
import { findOpenAiModel, type OpenAiModel } from "../openai/models.ts";
import { objectsOf, promptTokensOf, stringOf } from "../openai/read-body.ts";

export interface ChatMessage {
  readonly role: string;
  readonly value: JsonObject;
  readonly parts: readonly JsonObject[];
  readonly callIds: readonly string[];
}

/** A body of the right shape, prepared for the rules. */
export interface ChatView extends FunctionsView {
  readonly body: JsonObject;
  readonly modelId: string;
  readonly model: OpenAiModel | undefined;
  readonly messages: readonly ChatMessage[];
  /** Estimated, of the whole prompt. */
  readonly promptTokens: number;
}

export function viewChat(body: JsonObject, models: Readonly<Record<string, OpenAiModel>>): ChatView {
  const modelId = stringOf(body["model"]);
  return {
    body,
    modelId,
    model: findOpenAiModel(modelId, models),
    functions: objectsOf(body["tools"]).map(({ function: fn }, index) => {
      const { name, parameters, strict } = isJsonObject(fn) ? fn : {};
      return {
        param: `tools[${index}].function.parameters`,
        name: stringOf(name),
        parameters: isJsonObject(parameters) ? parameters : undefined,
        strict: strict === true,
      };
    }),
    messages: objectsOf(body["messages"]).map((value) => ({
      role: stringOf(value["role"]),
      value,
      parts: objectsOf(value["content"]),
      callIds: objectsOf(value["tool_calls"]).map(({ id }) => stringOf(id)),
    })),
    promptTokens: promptTokensOf([body["tools"], body["messages"]]),
  };
}
