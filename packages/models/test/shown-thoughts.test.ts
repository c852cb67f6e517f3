import { withoutUndefined } from "@factotum/agent-contract";
import type { ModelInfo, ModelRequest } from "@factotum/agent-contract";
import { describe, expect, test } from "vitest";
import { noThoughtsNote, resolveModelInfo } from "../src/index.ts";
import { requestOf } from "./client.ts";
import { send } from "./sent-request.ts";
import { anthropic } from "./wires/anthropic.ts";
import { google } from "./wires/google.ts";
import { mistral } from "./wires/mistral.ts";
import { compatibleChat, openaiChat } from "./wires/openai-chat.ts";
import { openaiResponses } from "./wires/openai-responses.ts";
import type { Wire } from "./wires/wire.ts";

/** All fields of a request that concern thinking. */
async function asked(wire: Wire, info: Partial<ModelInfo>, request: Partial<ModelRequest>): Promise<Record<string, unknown>> {
  const { body } = await send(wire, requestOf(request), { reasoning: true, ...info });
  const config = body["generationConfig"] as { readonly thinkingConfig?: unknown } | undefined;
  const fields = ["thinking", "output_config", "reasoning", "reasoning_effort"];
  const found = Object.fromEntries(Object.entries(body).filter(([key]) => fields.includes(key)));
  return { ...found, ...withoutUndefined({ thinkingConfig: config?.thinkingConfig }) };
}

describe("thoughts that people read are requested at the default level too", () => {
  test.each([
    ["Anthropic, left to the model", anthropic, { id: "claude-sonnet-5-5" }, { thinking: { type: "adaptive", display: "summarized" } }],
    ["Anthropic, within a budget", anthropic, {}, { thinking: { type: "enabled", budget_tokens: 4096 } }],
    ["OpenAI Responses", openaiResponses, {}, { reasoning: { summary: "auto" } }],
    ["OpenAI Responses, no thinking by default", openaiResponses, { id: "gpt-5.1" }, { reasoning: { effort: "medium", summary: "auto" } }],
    ["Google", google, {}, { thinkingConfig: { includeThoughts: true } }],
    ["Mistral", mistral, {}, { reasoning_effort: "high" }],
    ["OpenRouter", compatibleChat, { provider: "openrouter", id: "anthropic/claude-sonnet-5.5" }, { reasoning: { enabled: true } }],
    ["another copy of the chat endpoint", compatibleChat, { provider: "deepseek", id: "deepseek-flash" }, {}],
    ["OpenAI's chat endpoint, which gives none", openaiChat, { id: "gpt-5.5" }, {}],
    ["a model that does not think by itself", openaiResponses, { id: "gpt-4o", reasoning: false }, {}],
  ] as const)("%s", async (_name, wire, info, expected) => {
    expect(await asked(wire, info, { showThoughts: true })).toEqual(expected);
    expect(await asked(wire, info, {})).toEqual({});
  });

  test("a configured level is unchanged", async () => {
    expect(await asked(anthropic, { id: "claude-sonnet-5" }, { thinking: "low", showThoughts: true })).toEqual(
      await asked(anthropic, { id: "claude-sonnet-5" }, { thinking: "low" }),
    );
    expect(await asked(openaiResponses, { id: "gpt-5.1" }, { thinking: "off", showThoughts: true })).toEqual({
      reasoning: { effort: "none" },
    });
  });
});

describe("noThoughtsNote", () => {
  test.each([
    ["anthropic", "claude-sonnet-5-5", undefined],
    ["openai", "gpt-5.5", undefined],
    ["openai", "gpt-5.5", "high"],
    ["xai", "grok-4.7", undefined],
    ["openai", "gpt-4o", undefined],
    ["openai", "gpt-4o", "high"],
    ["ollama", "qwen3:8b", undefined],
    // It always thinks: `off` is its weakest level.
    ["anthropic", "claude-opus-5-5", "off"],
  ] as const)("%s/%s with the level %s can show some", (provider, id, level) => {
    expect(noThoughtsNote(resolveModelInfo(provider, id), level)).toBeUndefined();
  });

  test("says that a model gives none, or that thinking is off", () => {
    const chat = resolveModelInfo("openai", "gpt-5.5", { api: "openai-chat" });
    expect(noThoughtsNote(chat, undefined)).toMatch(/^openai\/gpt-5\.5 gives no thoughts.* openai-responses/);
    expect(noThoughtsNote(resolveModelInfo("demo", "demo"), undefined)).toBe("demo/demo gives no thoughts, so there is nothing to show.");
    for (const [provider, id] of [
      ["anthropic", "claude-sonnet-5"],
      ["openai", "gpt-4o"],
      ["ollama", "qwen3:8b"],
    ] as const)
      expect(noThoughtsNote(resolveModelInfo(provider, id), "off")).toMatch(/^Thinking is off/);
  });
});
