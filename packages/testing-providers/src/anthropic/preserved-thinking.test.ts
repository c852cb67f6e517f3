import { expect, test } from "vitest";
import type { JsonObject } from "../json.ts";
import { startAnthropicServer } from "./start-anthropic-server.ts";

const HELLO = { role: "user", content: [{ type: "text", text: "Hello" }] };
const MORE = { role: "user", content: [{ type: "text", text: "And then?" }] };

/** Makes the model think, then continues with the conversation as changed by `change`. */
async function goOn(model: string, change: (body: JsonObject) => JsonObject): Promise<readonly string[]> {
  await using server = await startAnthropicServer();
  server.respond(() => ({
    type: "message",
    content: [
      { type: "thinking", thinking: "Hm." },
      { type: "redacted_thinking", thinking: "Secret." },
      { type: "text", text: "Hi." },
    ],
  }));
  const ask = async (body: JsonObject): Promise<JsonObject> => {
    const headers = { "x-api-key": "k", "anthropic-version": "2023-06-01", "content-type": "application/json" };
    const response = await fetch(`${server.baseUrl}/v1/messages`, { method: "POST", headers, body: JSON.stringify(body) });
    return (await response.json()) as JsonObject;
  };
  const first: JsonObject = { model, max_tokens: 2_000, thinking: { type: "adaptive" }, system: "Be brief.", messages: [HELLO] };
  const { content } = await ask(first);
  await ask(change({ ...first, messages: [HELLO, { role: "assistant", content: content ?? [] }, MORE] }));
  expect(server.requests).toHaveLength(2);
  return server.violations.map(({ rule }) => rule);
}

test.each(["claude-sonnet-5-5", "claude-opus-5-5", "claude-fable-5-1", "claude-fable-5-2"])(
  "%s accepts its thoughts back only after the unchanged prefix",
  async (model) => {
    expect(await goOn(model, (body) => body)).toEqual([]);
    expect(await goOn(model, (body) => ({ ...body, thinking: { type: "adaptive", display: "summarized" }, max_tokens: 3_000 }))).toEqual(
      [],
    );
    expect(await goOn(model, (body) => ({ ...body, system: "Be long." }))).toEqual(["thinking-bound"]);
    expect(await goOn(model, (body) => ({ ...body, tools: [{ name: "ls", input_schema: { type: "object" } }] }))).toEqual([
      "thinking-bound",
    ]);
  },
);

test("an older model accepts them after any prefix", async () => {
  expect(await goOn("claude-opus-4-8", (body) => ({ ...body, system: "Be long." }))).toEqual([]);
});
