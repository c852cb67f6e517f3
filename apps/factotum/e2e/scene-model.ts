import { startStrictServer, writtenReply } from "@factotum/testing-providers";
import type { CapturedRequest, MessageReply, StrictServer, WireFormatName } from "@factotum/testing-providers";
import { checkedOfficially } from "./check-official.ts";

/** The model of a scene, and the form of its answers. */
export interface SceneModel {
  readonly format: WireFormatName;
  /** The model calls tools as text. */
  readonly inWriting?: boolean;
  /** The body of every answer comes in single bytes. */
  readonly singleBytes?: boolean;
  /** Its entry in the configuration, with further facts about the model. */
  config(baseUrl: string, facts?: object): { readonly reference: string; readonly providers: object };
}

const KEY = "sk-ant-test-0123456789";

/** The model of scenes that are not about models. */
export const ANTHROPIC: SceneModel = {
  format: "anthropic-messages",
  config: (baseUrl, facts) => ({
    reference: "anthropic/claude-sonnet-4-6",
    providers: { anthropic: { baseUrl, apiKey: KEY, ...(facts !== undefined && { models: [{ id: "claude-sonnet-4-6", ...facts }] }) } },
  }),
};

/** One model for each wire format, by its name. */
export const SCENE_MODELS: Readonly<Record<WireFormatName, SceneModel>> = {
  "anthropic-messages": ANTHROPIC,
  "openai-responses": {
    format: "openai-responses",
    config: (baseUrl) => ({ reference: "openai/gpt-4.1", providers: { openai: { baseUrl, apiKey: KEY } } }),
  },
  "openai-chat": {
    format: "openai-chat",
    config: (baseUrl) => ({ reference: "openai/gpt-4.1", providers: { openai: { api: "openai-chat", baseUrl, apiKey: KEY } } }),
  },
  "google-generative-ai": {
    format: "google-generative-ai",
    config: (baseUrl) => ({ reference: "google/gemini-2.5-flash", providers: { google: { baseUrl, apiKey: KEY } } }),
  },
  mistral: {
    format: "mistral",
    config: (baseUrl) => ({ reference: "mistral/mistral-medium-latest", providers: { mistral: { baseUrl, apiKey: KEY } } }),
  },
};

/** A model without native tool calls: it gets the tools in the prompt and calls them as text. */
export const WRITING_MODEL: SceneModel = {
  format: "openai-chat",
  inWriting: true,
  config: (baseUrl) => {
    const models = [{ id: "gpt-4.1", tools: "prompt" }];
    return { reference: "local/gpt-4.1", providers: { local: { api: "openai-chat", baseUrl, apiKey: KEY, models } } };
  },
};

/** How each format marks the result of a tool. */
const RESULT_MARKS: Readonly<Record<WireFormatName, RegExp>> = {
  "anthropic-messages": /"type":"tool_result"/g,
  "openai-responses": /"type":"function_call_output"/g,
  "openai-chat": /"role":"tool"/g,
  "google-generative-ai": /"functionResponse":/g,
  mistral: /"role":"tool"/g,
};
const WRITTEN_RESULT_MARK = /<tool_result name=/g;

/** Starts the server of a scene's model. Its answer depends on the number of results in the request. */
export async function startSceneModel(model: SceneModel, replies: readonly MessageReply[]): Promise<StrictServer> {
  const { format, inWriting = false, singleBytes = false } = model;
  const server = checkedOfficially(await startStrictServer(format), format);
  server.respond((request) => {
    const results = countResults(request, inWriting ? WRITTEN_RESULT_MARK : RESULT_MARKS[format]);
    const reply = replies[results];
    if (reply === undefined) throw new Error(`the conversation has no reply after ${results} results`);
    return { ...(inWriting ? writtenReply(reply) : reply), ...(singleBytes ? { deltaCharacters: 3, chunkBytes: 1 } : {}) };
  });
  return server;
}

function countResults({ body }: CapturedRequest, mark: RegExp): number {
  return JSON.stringify(body?.["messages"] ?? body?.["input"] ?? body?.["contents"]).match(mark)?.length ?? 0;
}
