import { startStrictServer } from "@factotum/testing-providers";
import { describe, expect, test } from "vitest";
import { createModelClient } from "../src/index.ts";
import { clientFor, collect, infoOf, messageOf, random, requestOf } from "./client.ts";
import { realClock } from "./fake-clock.ts";
import { openaiChat } from "./wires/openai-chat.ts";

/** The name of the output limit for this address. */
async function limitFields(provider: string, reasoning: boolean, baseUrl = "http://127.0.0.1:9/v1"): Promise<Record<string, unknown>> {
  let sent = "{}";
  const capture: typeof fetch = (_input, init) => {
    sent = typeof init?.body === "string" ? init.body : sent;
    return Promise.resolve(new Response("{}", { status: 400 }));
  };
  const info = infoOf(openaiChat, { provider, id: "a-model", reasoning });
  await collect(createModelClient({ info, baseUrl, apiKey: "sk-test-key", fetch: capture, clock: realClock, random }));
  const { max_tokens, max_completion_tokens } = JSON.parse(sent) as Record<string, unknown>;
  return { max_tokens, max_completion_tokens };
}

const OLD = { max_tokens: 8_192, max_completion_tokens: undefined };
const NEW = { max_tokens: undefined, max_completion_tokens: 8_192 };

describe("the name of the output limit on the chat endpoint", () => {
  test.each([
    ["house", true, undefined, NEW],
    ["house", false, undefined, OLD],
    ["groq", true, undefined, NEW],
    ["deepseek", true, undefined, OLD],
    ["ollama", true, undefined, OLD],
    ["openai", true, undefined, NEW],
    ["openai", false, undefined, OLD],
    ["openai", false, "https://api.openai.com/v1", NEW],
    ["house", false, "https://house.openai.azure.com/openai/v1", NEW],
  ] as const)("%s, reasoning %s, at %s", async (provider, reasoning, baseUrl, fields) => {
    expect(await limitFields(provider, reasoning, baseUrl)).toEqual(fields);
  });

  test.each(["openai", "house"])("a strict server behind the provider %s takes a reasoning model's request", async (provider) => {
    await using server = await startStrictServer("openai-chat");
    server.script([{ type: "message", content: [{ type: "text", text: "yes" }] }]);
    const client = clientFor(openaiChat, server.baseUrl, { info: { provider, id: "gpt-5", reasoning: true } });
    expect(messageOf(await collect(client, requestOf({ thinking: "low" }))).content).toEqual([{ type: "text", text: "yes" }]);
    expect(server.violations).toEqual([]);
  });
});
