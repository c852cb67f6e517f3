import { sayText, startOpenAiChatServer, startStrictServer } from "@factotum/testing-providers";
import type { StrictServer } from "@factotum/testing-providers";
import { runCommand, startProduct } from "@factotum/testing-product";
import { expect, test } from "vitest";
import { checkedOfficially } from "./check-official.ts";

const KEY = "sk-key-0123456789abcdef";
const chat = async (): Promise<StrictServer> =>
  checkedOfficially(await startOpenAiChatServer({ compatible: true, apiKey: KEY }), "openai-chat");
const google = async (): Promise<StrictServer> =>
  checkedOfficially(await startStrictServer("google-generative-ai", { apiKey: KEY }), "google-generative-ai");

test.each([
  ["XAI_API_KEY", "xai", "grok-4.7", chat],
  ["DEEPSEEK_API_KEY", "deepseek", "deepseek-flash", chat],
  ["OPENROUTER_API_KEY", "openrouter", "anthropic/claude-sonnet-5.5", chat],
  ["GROQ_API_KEY", "groq", "openai/gpt-oss-120b", chat],
  ["GOOGLE_API_KEY", "google", "gemini-flash-latest", google],
] as const)("%s alone selects a model of %s, and its requests carry the key", async (variable, provider, id, start) => {
  await using model = await start();
  model.respond(() => sayText("Good day."));
  // The address is the fake's; everything else is the product's built-in knowledge.
  const config = { models: { providers: { [provider]: { baseUrl: model.baseUrl } } } };
  await using product = await startProduct({ config, env: { [variable]: KEY } });
  const say = async (text: string): Promise<string> => (await runCommand(["agent", "--message", text], { home: product.home })).stdout;

  expect(await say("hello")).toBe("Good day.\n");
  expect(await say("/think high")).toContain("thinking high");
  expect(await say("and again")).toBe("Good day.\n");
  expect(model.violations).toEqual([]);
  expect(model.requests.map(({ path, bytes }) => path.includes(id) || bytes.includes(`"model":"${id}"`))).toEqual([true, true]);
  for (const { bytes } of model.requests) expect(bytes.includes('"cache_control"')).toBe(id.includes("claude"));
  const { stdout } = await runCommand(["context"], { home: product.home });
  expect(stdout).toContain(`key from ${variable}`);
  expect(product.output()).not.toContain(KEY);
});
