import { expect, test } from "vitest";
import { cacheLifetimeMs } from "./cache-lifetime.ts";
import { resolveModelInfo } from "./model-info.ts";

const HOUR = 60;
const DAY = 24 * HOUR;

test.each([
  ["anthropic", "claude-sonnet-5-5", 5, HOUR],
  ["openrouter", "anthropic/claude-sonnet-5.5", 5, HOUR],
  ["google", "claude-opus-5-5", 5, HOUR],
  ["openai", "gpt-6-sol", 30, 30],
  ["openai", "gpt-5.6", 30, 30],
  ["openai", "gpt-5.5", DAY, DAY],
  ["openai", "gpt-5.1", 10, DAY],
  ["openai", "gpt-4.1", 10, DAY],
  ["openai", "gpt-4o", 10, 10],
  ["openrouter", "openai/gpt-5.1", 10, 10],
  ["deepseek", "deepseek-flash", 120, 120],
  ["google", "gemini-flash-latest", 5, HOUR],
  ["mistral", "mistral-medium-latest", 5, HOUR],
  ["together", "someone/new-model", 5, HOUR],
] as const)("the cache of %s/%s lives %d minutes, %d with long retention", (provider, id, short, long) => {
  const info = resolveModelInfo(provider, id);
  expect(cacheLifetimeMs(info, "short") / 60_000).toBe(short);
  expect(cacheLifetimeMs(info, "long") / 60_000).toBe(long);
  expect(cacheLifetimeMs(info, "none")).toBe(0);
});

test.each([
  ["ollama", "claude-like:8b"],
  ["llamacpp", "gpt-5-clone"],
  ["lmstudio", "m"],
  ["vllm", "m"],
  ["demo", "demo"],
])("the cache of a local server, %s, does not expire", (provider, id) => {
  const info = resolveModelInfo(provider, id);
  expect(cacheLifetimeMs(info, "short")).toBe(Number.POSITIVE_INFINITY);
  expect(cacheLifetimeMs(info, "long")).toBe(Number.POSITIVE_INFINITY);
});
