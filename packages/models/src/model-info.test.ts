import { describe, expect, test } from "vitest";
import { createModelClient } from "./create-model-client.ts";
import { resolveModelInfo } from "./model-info.ts";
import { random } from "../test/client.ts";
import { realClock } from "../test/fake-clock.ts";

describe("resolveModelInfo", () => {
  test.each([
    ["anthropic", "claude-sonnet-4-5-20250929", 200_000, 64_000, true],
    ["anthropic", "claude-opus-4-1", 200_000, 32_000, true],
    ["anthropic", "claude-opus-4-8", 1_000_000, 128_000, true],
    ["anthropic", "claude-sonnet-5-5", 1_000_000, 128_000, true],
    // A reseller reserves credit for the whole output limit.
    ["openrouter", "anthropic/claude-sonnet-4.5", 200_000, 32_000, true],
    ["openrouter", "deepseek/deepseek-v4-pro", 1_048_576, 32_000, true],
    ["openai", "gpt-5.5", 1_000_000, 128_000, true],
    ["openai", "gpt-5", 400_000, 128_000, true],
    ["openai", "gpt-5-mini-2025-08-07", 400_000, 128_000, true],
    ["openai", "gpt-4o", 128_000, 16_384, false],
    ["google", "gemini-flash-latest", 1_048_576, 65_536, true],
    ["mistral", "mistral-medium-latest", 262_144, 32_768, true],
  ] as const)("%s/%s", (provider, id, contextWindow, maxOutput, reasoning) => {
    expect(resolveModelInfo(provider, id)).toMatchObject({
      provider,
      id,
      contextWindow,
      maxOutput,
      reasoning,
      known: true,
      tools: "native",
    });
  });

  test.each([
    ["anthropic", "claude-opus-5-5", { input: 4, output: 20, cacheRead: 0.2, cacheWrite: 5, cacheWriteLong: 8 }],
    ["anthropic", "claude-haiku-4-5-20251001", { input: 1, output: 5 }],
    ["openai", "gpt-5-mini-2025-08-07", { input: 0.25, output: 2, cacheRead: 0.025 }],
    [
      "google",
      "gemini-3.1-pro-preview",
      { input: 2, output: 12, longContext: { aboveTokens: 200_000, input: 4, output: 18, cacheRead: 0.4 } },
    ],
    ["mistral", "mistral-medium-latest", { input: 1.5, output: 7.5 }],
    ["openrouter", "anthropic/claude-sonnet-4.5:nitro", { input: 3, output: 15 }],
  ] as const)("the catalogue has the price of %s/%s", (provider, id, cost) => {
    expect(resolveModelInfo(provider, id).cost).toMatchObject(cost);
  });

  test("drops a price for long prompts that no prompt can reach", () => {
    expect(resolveModelInfo("anthropic", "claude-sonnet-4-5").cost).not.toHaveProperty("longContext");
  });

  test("the catalogue has the thinking levels of a model, and none for a chat variant", () => {
    expect(resolveModelInfo("anthropic", "claude-opus-4-6").thinkingLevels).toEqual(["off", "low", "medium", "high", "adaptive", "max"]);
    expect(resolveModelInfo("openai", "gpt-5-chat-latest")).toMatchObject({
      contextWindow: 128_000,
      reasoning: false,
      cost: { input: 1.25 },
    });
  });

  test("a price in the configuration replaces the catalogue's, tiers included", () => {
    expect(resolveModelInfo("openai", "gpt-5.5", { cost: { input: 1, output: 2 } }).cost).toEqual({ input: 1, output: 2 });
  });

  test("an unknown model gets safe values, and is marked as unknown", () => {
    expect(resolveModelInfo("together", "someone/new-model")).toEqual({
      provider: "together",
      id: "someone/new-model",
      api: "openai-chat",
      contextWindow: 32_768,
      maxOutput: 4_096,
      input: ["text"],
      tools: "native",
      reasoning: false,
      known: false,
    });
  });

  test("an unknown model of a reseller gets room for thoughts and long arguments, and the configuration overrides the reseller's limit", () => {
    expect(resolveModelInfo("openrouter", "someone/new-model")).toMatchObject({ maxOutput: 16_384, known: false });
    expect(resolveModelInfo("openrouter", "anthropic/claude-opus-5.5", { maxOutput: 100_000 }).maxOutput).toBe(100_000);
  });

  test("a local server is not assumed to have the window of the model's line", () => {
    expect(resolveModelInfo("ollama", "gpt-oss:20b")).toMatchObject({ contextWindow: 32_768, known: false });
  });

  test("the configuration wins, and a window from it makes the model known", () => {
    const info = resolveModelInfo("ollama", "qwen3", { contextWindow: 65_536, input: ["text", "image"] });
    expect(info).toMatchObject({ contextWindow: 65_536, maxOutput: 4_096, input: ["text", "image"], known: true });
    expect(resolveModelInfo("anthropic", "claude-sonnet-5", { maxOutput: 1_000 })).toMatchObject({
      maxOutput: 1_000,
      contextWindow: 1_000_000,
    });
  });

  test("the demo costs nothing", () => {
    expect(resolveModelInfo("demo", "demo")).toMatchObject({ api: "demo", known: true, cost: { input: 0, output: 0 } });
  });

  test("an unknown provider requires its api, and its client an address", () => {
    expect(() => resolveModelInfo("house", "m")).toThrow(/models\.providers\.house\.api/);
    const info = resolveModelInfo("house", "m", { api: "openai-chat" });
    expect(() => createModelClient({ info, fetch, clock: realClock, random })).toThrow(/models\.providers\.house\.baseUrl/);
  });
});
