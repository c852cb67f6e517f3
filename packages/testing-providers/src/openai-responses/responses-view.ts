import { isJsonObject, type JsonObject } from "../json.ts";
import type { FunctionsView } from "../openai/function-schema-rules.ts";
import { findOpenAiModel, type OpenAiModel } from "../openai/models.ts";
import { objectsOf, promptTokensOf, stringOf } from "../openai/read-body.ts";

/** One item of the input; without a type it is a message. */
export interface ItemView {
  readonly path: string;
  readonly type: string;
  readonly value: JsonObject;
  readonly callId: string;
  /** Undefined when it has none. */
  readonly id: string | undefined;
}

/** A body of the right shape laid out for the rules. */
export interface ResponsesView extends FunctionsView {
  readonly body: JsonObject;
  readonly modelId: string;
  readonly model: OpenAiModel | undefined;
  readonly items: readonly ItemView[];
  /** Estimated, of the whole prompt. */
  readonly promptTokens: number;
}

export function viewResponses(body: JsonObject, models: Readonly<Record<string, OpenAiModel>>): ResponsesView {
  const modelId = stringOf(body["model"]);
  return {
    body,
    modelId,
    model: findOpenAiModel(modelId, models),
    functions: objectsOf(body["tools"]).map(({ name, parameters, strict }, index) => ({
      param: `tools[${index}].parameters`,
      name: stringOf(name),
      parameters: isJsonObject(parameters) ? parameters : undefined,
      strict: strict === true,
    })),
    items: objectsOf(body["input"]).map((value, index) => ({
      path: `input[${index}]`,
      type: typeof value["type"] === "string" ? value["type"] : "message",
      value,
      callId: stringOf(value["call_id"]),
      id: typeof value["id"] === "string" ? value["id"] : undefined,
    })),
    promptTokens: promptTokensOf([body["tools"], body["instructions"], body["input"]]),
  };
}
