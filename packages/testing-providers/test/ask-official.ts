import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import { Mistral } from "@mistralai/mistralai";
import OpenAI from "openai";
import type { JsonObject, ReplyUsage, WireFormatName } from "../src/index.ts";

/** The official SDK's view of a streamed answer. */
export interface OfficialAnswer {
  readonly text: string;
  readonly thinking: string;
  readonly calls: readonly { readonly name: string; readonly arguments: JsonObject }[];
  readonly stop: string;
  readonly usage: Pick<ReplyUsage, "input" | "cacheRead" | "output">;
}

const TOOL = { type: "object", properties: { path: { type: "string" } } } as const;

/** Sends a streamed request, with thinking if the format shows it, through the vendor's own SDK without retries. */
export function askOfficial(format: WireFormatName, baseUrl: string): Promise<OfficialAnswer> {
  return ASK[format](baseUrl);
}

const ASK: Readonly<Record<WireFormatName, (baseUrl: string) => Promise<OfficialAnswer>>> = {
  "anthropic-messages": async (baseURL) => {
    const client = new Anthropic({ apiKey: "key", baseURL, maxRetries: 0 });
    const message = await client.messages
      .stream({
        model: "claude-sonnet-4-5",
        max_tokens: 4096,
        thinking: { type: "enabled", budget_tokens: 1024 },
        messages: [{ role: "user", content: "Hello" }],
        tools: [{ name: "ls", input_schema: TOOL }],
      })
      .finalMessage();
    return {
      text: message.content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join(""),
      thinking: message.content.flatMap((block) => (block.type === "thinking" ? [block.thinking] : [])).join(""),
      calls: message.content.flatMap((block) =>
        block.type === "tool_use" ? [{ name: block.name, arguments: block.input as JsonObject }] : [],
      ),
      stop: message.stop_reason ?? "",
      usage: {
        input: message.usage.input_tokens,
        cacheRead: message.usage.cache_read_input_tokens ?? 0,
        output: message.usage.output_tokens,
      },
    };
  },
  "openai-responses": async (baseUrl) => {
    const client = new OpenAI({ apiKey: "key", baseURL: `${baseUrl}/v1`, maxRetries: 0 });
    const response = await client.responses
      .stream({
        model: "gpt-5.5",
        store: false,
        input: "Hello",
        reasoning: { summary: "auto" },
        include: ["reasoning.encrypted_content"],
        tools: [{ type: "function", name: "ls", parameters: TOOL, strict: false }],
      })
      .finalResponse();
    const { output, usage } = response;
    return {
      text: response.output_text,
      thinking: output.flatMap((item) => (item.type === "reasoning" ? item.summary.map(({ text }) => text) : [])).join(""),
      calls: output.flatMap((item) =>
        item.type === "function_call" ? [{ name: item.name, arguments: JSON.parse(item.arguments) as JsonObject }] : [],
      ),
      stop: response.incomplete_details?.reason ?? response.status ?? "",
      usage: countOf(usage?.input_tokens, usage?.input_tokens_details?.cached_tokens, usage?.output_tokens),
    };
  },
  "openai-chat": async (baseUrl) => {
    const client = new OpenAI({ apiKey: "key", baseURL: `${baseUrl}/v1`, maxRetries: 0 });
    const { choices, usage } = await client.chat.completions
      .stream({
        model: "gpt-5.5",
        messages: [{ role: "user", content: "Hello" }],
        tools: [{ type: "function", function: { name: "ls", parameters: TOOL } }],
        stream_options: { include_usage: true },
      })
      .finalChatCompletion();
    const [choice] = choices;
    return {
      text: choice?.message.content ?? "",
      thinking: "",
      calls: (choice?.message.tool_calls ?? []).flatMap((call) =>
        call.type === "function" ? [{ name: call.function.name, arguments: JSON.parse(call.function.arguments) as JsonObject }] : [],
      ),
      stop: choice?.finish_reason ?? "",
      usage: countOf(usage?.prompt_tokens, usage?.prompt_tokens_details?.cached_tokens, usage?.completion_tokens),
    };
  },
  "google-generative-ai": async (baseUrl) => {
    const client = new GoogleGenAI({ apiKey: "key", httpOptions: { baseUrl, apiVersion: "v1beta" } });
    const stream = await client.models.generateContentStream({
      model: "gemini-2.5-flash",
      contents: "Hello",
      config: {
        thinkingConfig: { includeThoughts: true },
        tools: [{ functionDeclarations: [{ name: "ls", parametersJsonSchema: TOOL }] }],
      },
    });
    const parts = [];
    let stop = "";
    let usage;
    for await (const chunk of stream) {
      const [candidate] = chunk.candidates ?? [];
      parts.push(...(candidate?.content?.parts ?? []));
      stop = candidate?.finishReason ?? stop;
      usage = chunk.usageMetadata ?? usage;
    }
    const output = (usage?.candidatesTokenCount ?? 0) + (usage?.thoughtsTokenCount ?? 0);
    return {
      text: parts.map(({ text, thought }) => (thought === true ? "" : (text ?? ""))).join(""),
      thinking: parts.map(({ text, thought }) => (thought === true ? (text ?? "") : "")).join(""),
      calls: parts.flatMap(({ functionCall: call }) =>
        call === undefined ? [] : [{ name: call.name ?? "", arguments: call.args as JsonObject }],
      ),
      stop,
      usage: countOf(usage?.promptTokenCount, usage?.cachedContentTokenCount, output),
    };
  },
  mistral: async (serverURL) => {
    const client = new Mistral({ apiKey: "key", serverURL, retryConfig: { strategy: "none" } });
    const stream = await client.chat.stream({
      model: "mistral-medium-latest",
      messages: [{ role: "user", content: "Hello" }],
      tools: [{ type: "function", function: { name: "ls", parameters: TOOL } }],
    });
    const answer = { text: "", thinking: "", stop: "", usage: countOf(0, 0, 0) };
    // The vendor sends a call whole; servers that copy it send it in pieces.
    const calls = new Map<number, { readonly name: string; readonly json: string }>();
    for await (const { data } of stream) {
      const [choice] = data.choices;
      const content = choice?.delta.content;
      if (typeof content === "string") answer.text += content;
      for (const chunk of Array.isArray(content) ? content : []) {
        if (chunk.type === "thinking") answer.thinking += chunk.thinking.map((part) => (part.type === "text" ? part.text : "")).join("");
      }
      for (const { index = 0, function: fn } of choice?.delta.toolCalls ?? []) {
        const known = calls.get(index) ?? { name: "", json: "" };
        const json = typeof fn.arguments === "string" ? fn.arguments : JSON.stringify(fn.arguments);
        calls.set(index, { name: known.name + fn.name, json: known.json + json });
      }
      answer.stop = choice?.finishReason ?? answer.stop;
      // The SDK knows no count of cached tokens yet.
      if (data.usage !== undefined) answer.usage = countOf(data.usage.promptTokens, undefined, data.usage.completionTokens);
    }
    return { ...answer, calls: [...calls.values()].map(({ name, json }) => ({ name, arguments: JSON.parse(json) as JsonObject })) };
  },
};

function countOf(prompt: number | undefined, cacheRead = 0, output = 0): OfficialAnswer["usage"] {
  return { input: (prompt ?? 0) - cacheRead, cacheRead, output };
}
