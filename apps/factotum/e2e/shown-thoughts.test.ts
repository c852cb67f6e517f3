import { runCommand, startProduct } from "@factotum/testing-product";
import { expect, test } from "vitest";
import type { MessageReply } from "@factotum/testing-providers";
import { sayText, startStrictServer } from "@factotum/testing-providers";
import { checkedOfficially } from "./check-official.ts";
import { SCENE_MODELS } from "./scene-model.ts";
import { readStoredTranscript } from "./transcript.ts";

const THOUGHT: MessageReply = {
  type: "message",
  content: [
    { type: "thinking", text: "They greet me." },
    { type: "text", text: "Good day." },
  ],
};

test.each([
  ["anthropic-messages", "anthropic/claude-sonnet-4-6", (body: Body) => body.thinking, { type: "adaptive", display: "summarized" }],
  ["openai-responses", "openai/gpt-5.5", (body: Body) => body.reasoning, { summary: "auto" }],
  ["google-generative-ai", "google/gemini-2.5-flash", (body: Body) => body.generationConfig?.thinkingConfig, { includeThoughts: true }],
] as const)("/reasoning on asks for thoughts at the default level over %s, and they come", async (format, reference, read, expected) => {
  await using model = checkedOfficially(await startStrictServer(format), format);
  model.script([sayText("Good day."), THOUGHT]);
  const { providers } = SCENE_MODELS[format].config(model.baseUrl);
  await using product = await startProduct({ config: { agents: { defaults: { model: reference } }, models: { providers } } });
  const say = async (text: string): Promise<string> => (await runCommand(["agent", "--message", text], { home: product.home })).stdout;

  expect(await say("hello")).toBe("Good day.\n");
  expect(await say("/reasoning on")).toContain("thoughts are shown before the reply.");
  expect(await say("hello")).toBe("Good day.\n");
  expect(model.requests.map(({ body }) => read((body ?? {}) as Body))).toEqual([undefined, expected]);
  expect(model.violations).toEqual([]);
  await product.end("SIGTERM");
  expect(JSON.stringify(await readStoredTranscript(product.home))).toContain("They greet me.");
});

/** The fields in which the formats speak of thinking. */
interface Body {
  readonly thinking?: unknown;
  readonly reasoning?: unknown;
  readonly generationConfig?: { readonly thinkingConfig?: unknown };
}

test("/reasoning on says that a model gives no thoughts", async () => {
  await using product = await startProduct({
    config: {
      agents: { defaults: { model: "openai/gpt-5.5" } },
      models: { providers: { openai: { api: "openai-chat", baseUrl: "http://127.0.0.1:9/v1", apiKey: "sk-test" } } },
    },
  });
  const { stdout } = await runCommand(["agent", "--message", "/reasoning on"], { home: product.home });
  expect(stdout).toMatch(/openai\/gpt-5\.5 gives no thoughts, so there is nothing to show\. .*openai-responses/);
});
