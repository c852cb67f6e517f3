import { isJsonObject, type JsonObject } from "../json.ts";
import { objectsOf, promptTokensOf, stringOf } from "../openai/read-body.ts";
import { findGoogleModel, type GoogleModel } from "./models.ts";

export interface PartView {
  /** `contents[1].parts[0]`. */
  readonly path: string;
  readonly value: JsonObject;
  readonly call: JsonObject | undefined;
  readonly response: JsonObject | undefined;
}

/** A function response has the user's role, but is a separate turn for the rules of order. */
type TurnKind = "user" | "model" | "call" | "response";

export interface ContentView {
  readonly path: string;
  /** Defaults to the user's. */
  readonly role: string;
  readonly kind: TurnKind;
  readonly value: JsonObject;
  readonly parts: readonly PartView[];
  readonly calls: readonly PartView[];
  readonly responses: readonly PartView[];
}

export interface DeclarationView {
  /** `GenerateContentRequest.tools[0].function_declarations[1]`. */
  readonly path: string;
  readonly name: string;
  readonly value: JsonObject;
}

/** A body of the right shape, prepared for the rules. */
export interface GoogleView {
  readonly body: JsonObject;
  readonly modelId: string;
  readonly model: GoogleModel | undefined;
  readonly contents: readonly ContentView[];
  readonly system: ContentView | undefined;
  readonly declarations: readonly DeclarationView[];
  readonly generation: JsonObject;
  /** Estimated, of the whole prompt. */
  readonly promptTokens: number;
}

const METHOD = /^\/v1(?:beta)?\/models\/([^/:]+):(generateContent|streamGenerateContent)(?:\?(.*))?$/;

/** The model and the method of a path; undefined for another path. */
export function readPath(path: string): { readonly modelId: string; readonly streams: boolean; readonly query: string } | undefined {
  const match = METHOD.exec(path);
  if (match === null) return undefined;
  const [, modelId = "", method, query = ""] = match;
  return { modelId: decodeURIComponent(modelId), streams: method === "streamGenerateContent", query };
}

export function viewGoogle(path: string, body: JsonObject, models: Readonly<Record<string, GoogleModel>>): GoogleView {
  const modelId = readPath(path)?.modelId ?? "";
  const { systemInstruction, generationConfig } = body;
  return {
    body,
    modelId,
    model: findGoogleModel(modelId, models),
    contents: objectsOf(body["contents"]).map((value, index) => viewContent(value, `contents[${index}]`)),
    system: isJsonObject(systemInstruction) ? viewContent(systemInstruction, "system_instruction") : undefined,
    declarations: objectsOf(body["tools"]).flatMap((tool, index) =>
      objectsOf(tool["functionDeclarations"]).map((value, position) => ({
        path: `GenerateContentRequest.tools[${index}].function_declarations[${position}]`,
        name: stringOf(value["name"]),
        value,
      })),
    ),
    generation: isJsonObject(generationConfig) ? generationConfig : {},
    promptTokens: promptTokensOf([
      JSON.parse(
        JSON.stringify([body["tools"], systemInstruction, body["contents"]], (key, value: unknown) =>
          key === "inlineData" ? null : value,
        ),
      ),
    ]),
  };
}

function viewContent(value: JsonObject, path: string): ContentView {
  const role = typeof value["role"] === "string" ? value["role"] : "user";
  const parts = objectsOf(value["parts"]).map((part, index) => ({
    path: `${path}.parts[${index}]`,
    value: part,
    call: isJsonObject(part["functionCall"]) ? part["functionCall"] : undefined,
    response: isJsonObject(part["functionResponse"]) ? part["functionResponse"] : undefined,
  }));
  const calls = parts.filter(({ call }) => call !== undefined);
  const responses = parts.filter(({ response }) => response !== undefined);
  const kind = calls.length > 0 ? "call" : responses.length > 0 ? "response" : role === "model" ? "model" : "user";
  return { path, role, kind, value, parts, calls, responses };
}
