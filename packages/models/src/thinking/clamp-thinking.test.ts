import { THINKING_LEVELS } from "@factotum/agent-contract";
import { describe, expect, test } from "vitest";
import { resolveModelInfo } from "../model-info.ts";
import { PROVIDERS } from "../providers.ts";
import { clampThinking } from "./clamp-thinking.ts";
import { thinkingLevelsOf } from "./thinking-levels.ts";

describe("clampThinking", () => {
  test.each([
    ["anthropic", "claude-sonnet-4-5", "adaptive", "medium"],
    ["anthropic", "claude-sonnet-4-5", "max", "max"],
    ["anthropic", "claude-opus-4-6", "xhigh", "high"],
    ["anthropic", "claude-sonnet-5", "adaptive", "adaptive"],
    ["anthropic", "claude-sonnet-5", "minimal", "low"],
    ["anthropic", "claude-opus-5-5", "off", "low"],
    ["openai", "gpt-5", "off", "minimal"],
    ["openai", "gpt-5.1", "off", "off"],
    ["openai", "gpt-5.5", "max", "xhigh"],
    ["openai", "gpt-6-sol", "max", "max"],
    ["openai", "o3", "minimal", "low"],
    ["openai", "gpt-4o", "high", "off"],
    ["google", "gemini-2.5-flash", "off", "off"],
    ["google", "gemini-2.5-pro", "off", "minimal"],
    ["google", "gemini-3-pro-preview", "medium", "low"],
    ["google", "gemini-3-pro-preview", "xhigh", "high"],
    ["google", "gemini-3.8-flash", "minimal", "low"],
    ["mistral", "magistral-medium-latest", "low", "high"],
    ["deepseek", "deepseek-flash", "medium", "low"],
    ["deepseek", "deepseek-flash", "max", "max"],
    ["openrouter", "x-ai/grok-4.7", "xhigh", "high"],
    ["openrouter", "x-ai/grok-4.7", "off", "off"],
  ] as const)("%s/%s: %s becomes %s", (provider, id, requested, applied) => {
    const answer = clampThinking(resolveModelInfo(provider, id), requested);
    expect(answer).toMatchObject({ requested, applied });
    expect(answer.note === undefined).toBe(requested === applied);
  });

  test("the note is for people", () => {
    expect(clampThinking(resolveModelInfo("openai", "gpt-4o"), "high").note).toBe(
      "openai/gpt-4o does not think: thinking is off in place of high.",
    );
  });

  test("the model accepts the result for every requested level", () => {
    for (const provider of Object.keys(PROVIDERS)) {
      for (const reasoning of [true, false]) {
        const info = { ...resolveModelInfo(provider, "some-model"), reasoning };
        for (const level of THINKING_LEVELS) expect(thinkingLevelsOf(info)).toContain(clampThinking(info, level).applied);
      }
    }
  });
});
