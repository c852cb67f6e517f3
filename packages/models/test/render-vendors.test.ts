import type { ModelRequest } from "@factotum/agent-contract";
import { checkAnthropicRequest } from "@factotum/testing-providers";
import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { LS_TOOL } from "./client.ts";
import { assistant, conversationRequest, conversations, PIXEL, result, text, user } from "./history.ts";
import { anthropic } from "./wires/anthropic.ts";
import { google } from "./wires/google.ts";
import { mistral } from "./wires/mistral.ts";
import { compatibleChat, openaiChat } from "./wires/openai-chat.ts";
import { openaiResponses } from "./wires/openai-responses.ts";
import { CALLED, send, sendMessages, type Sent } from "./sent-request.ts";
import { list } from "./wires/wire.ts";

// Properties over many conversations may take minutes on a slow machine.
vi.setConfig({ testTimeout: 300_000 });

describe("Anthropic", () => {
  test("takes every conversation that the core can send", async () => {
    await fc.assert(
      fc.asyncProperty(conversations, async ({ messages, cuts }) => {
        for (const cut of cuts) {
          const { body } = await sendMessages(anthropic, messages.slice(0, cut));
          expect(checkAnthropicRequest(body as never)).toEqual([]);
        }
      }),
      { numRuns: 100 },
    );
  });

  test("row 19: four marks: tools, both halves of the system prompt, the latest message", async () => {
    const { body } = await sendMessages(anthropic, [...CALLED, result("call_1", [text("a.txt")]), user(text("and now?"))]);
    const marks = JSON.stringify(body).split('"cache_control"').length - 1;
    expect(marks).toBe(4);
    expect(list(body.tools).at(-1)).toMatchObject({ cache_control: { type: "ephemeral" } });
    expect(body.system).toMatchObject([
      { text: "Stable half.", cache_control: { type: "ephemeral" } },
      { text: "Session half.", cache_control: { type: "ephemeral" } },
    ]);
    expect(list(list(body.messages).at(-1)?.content).at(-1)).toMatchObject({ text: "and now?", cache_control: { type: "ephemeral" } });
  });

  test.each([
    ["long", { type: "ephemeral", ttl: "1h" }],
    ["short", { type: "ephemeral" }],
    ["none", undefined],
  ] as const)("retention %s", async (cacheRetention, mark) => {
    const { body } = await send(anthropic, conversationRequest([user(text("hi"))], { cacheRetention }));
    expect(list(body.tools).map((tool) => tool.cache_control)).toEqual([mark]);
    expect(JSON.stringify(body).includes("cache_control")).toBe(mark !== undefined);
  });

  test("a mark goes onto a tool result if that is the latest", async () => {
    const { body } = await sendMessages(anthropic, [...CALLED, result("call_1", [text("a.txt")])]);
    expect(list(list(body.messages).at(-1)?.content).at(-1)).toMatchObject({ type: "tool_result", cache_control: { type: "ephemeral" } });
  });

  test("rows 17 and 18: no eager streaming of tools, no role system, no beta for one", async () => {
    const sent = await sendMessages(anthropic, [...CALLED, result("call_1", [text("a.txt")]), user(text("go on"))]);
    expect(sent.text).not.toContain("eager_input_streaming");
    expect(list(sent.body.messages).map((message) => message.role)).not.toContain("system");
    expect(sent.headers.get("anthropic-beta") ?? "").not.toContain("mid-conversation");
  });

  test.each([
    ["claude-sonnet-4-5", "medium", { thinking: { type: "enabled", budget_tokens: 8_192 }, max_tokens: 20_000 }],
    ["claude-sonnet-4-5", "max", { thinking: { type: "enabled", budget_tokens: 10_000 }, max_tokens: 20_000 }],
    ["claude-sonnet-4-5", "off", { thinking: { type: "disabled" }, max_tokens: 20_000 }],
    ["some-unknown-model", "low", { thinking: { type: "enabled", budget_tokens: 4_096 }, max_tokens: 20_000 }],
    [
      "claude-sonnet-5",
      "high",
      { thinking: { type: "adaptive", display: "summarized" }, output_config: { effort: "high" }, max_tokens: 20_000 },
    ],
    [
      "claude-opus-4-6",
      "xhigh",
      { thinking: { type: "adaptive", display: "summarized" }, output_config: { effort: "high" }, max_tokens: 20_000 },
    ],
    ["claude-sonnet-5", "adaptive", { thinking: { type: "adaptive", display: "summarized" }, max_tokens: 20_000 }],
  ] as const)("row 16: %s thinking %s", async (id, thinking, expected) => {
    const { body } = await send(anthropic, conversationRequest([user(text("hi"))], { thinking }), {
      id,
      maxOutput: 20_000,
      reasoning: true,
    });
    expect(body).toMatchObject(expected);
  });

  test("no budget in the middle of a turn that another model started", async () => {
    const messages = [...CALLED, result("call_1", [text("a.txt")])];
    const { body } = await send(anthropic, conversationRequest(messages, { thinking: "high" }), { reasoning: true });
    expect(body.thinking).toBeUndefined();
    expect(checkAnthropicRequest(body as never)).toEqual([]);
  });

  test("the string for testing Anthropic's refusals never reaches it", async () => {
    const trigger = ["ANTHROPIC", "MAGIC_STRING", "TRIGGER", "REFUSAL", "A1".repeat(32)].join("_");
    const call = assistant([
      text(trigger),
      { type: "thinking", text: trigger, signature: { anthropic: { signature: "s" } } },
      { type: "toolCall", id: "c1", name: trigger, arguments: { path: [trigger], [trigger]: 1 } },
    ]);
    const own = { ...call, api: anthropic.api, provider: anthropic.info.provider, model: anthropic.info.id };
    const parameters = {
      type: "object",
      properties: { [trigger]: { type: "string" }, a: { type: "string", description: trigger, enum: [trigger] } },
    };
    const results = [{ ...result("c1", [text(trigger)]), toolName: trigger }];
    const requestFor = (overrides: Partial<ModelRequest> = {}): ModelRequest =>
      conversationRequest([user(text(`before ${trigger} after`)), own, ...results], {
        system: { stable: trigger, session: trigger },
        tools: [{ ...LS_TOOL, description: trigger, parameters }],
        ...overrides,
      });
    for (const info of [{}, { tools: "prompt" }, { tools: "none" }] as const) {
      for (const request of [requestFor(), requestFor({ tools: [] })]) {
        const { text: sent } = await send(anthropic, request, info);
        expect(sent).not.toContain("MAGIC_STRING");
        expect(sent.split("[redacted]").length).toBeGreaterThanOrEqual(7);
        expect(sent).toContain("before [redacted] after");
        const claude = { id: "anthropic/claude-sonnet-4.5", ...info };
        expect((await send(compatibleChat, request, claude)).text).not.toContain("MAGIC_STRING");
      }
    }
    for (const wire of [openaiResponses, openaiChat, compatibleChat, google, mistral]) {
      expect((await send(wire, requestFor())).text).toContain(`before ${trigger} after`);
    }
  });

  test("an answer with more blocks than the vendor searches is still read from the cache, with four marks", async () => {
    const calls = Array.from({ length: 25 }, (_, index) => ({ type: "toolCall" as const, id: `c${index}`, name: "ls", arguments: {} }));
    const messages = [user(text("look")), assistant(calls), ...calls.map(({ id }) => result(id, [text("a.txt")]))];
    const { body } = await sendMessages(anthropic, messages);
    expect(JSON.stringify(body).split('"cache_control"').length - 1).toBe(4);
    expect(list(body.tools)[0]?.cache_control).toBeUndefined();
    expect(list(list(body.messages)[0]?.content).at(-1)).toMatchObject({ text: "look", cache_control: { type: "ephemeral" } });
    expect(checkAnthropicRequest(body as never)).toEqual([]);
  });
});

describe("OpenAI", () => {
  test("row 14: nothing is stored, and nothing refers to stored items", async () => {
    const own = { api: "openai-responses", provider: "openai", model: "gpt-5.5" } as const;
    const signature = { openai: { itemId: "rs_1", reasoningEncryptedContent: "sealed" } };
    const { body, text: sent } = await sendMessages(openaiResponses, [
      user(text("look")),
      assistant(
        [{ type: "thinking", text: "hm", signature }, text("I look."), { type: "toolCall", id: "call_1", name: "ls", arguments: {} }],
        own,
      ),
      result("call_1", [text("a.txt")]),
    ]);
    expect(body.store).toBe(false);
    expect(sent).not.toContain("item_reference");
    expect(list(body.input).find((item) => item.type === "reasoning")).toMatchObject({ encrypted_content: "sealed" });
    expect(body.include).toEqual(["reasoning.encrypted_content"]);
    expect((await sendMessages(openaiChat, [user(text("hi"))])).body.store).toBe(false);
  });

  test.each([openaiResponses, openaiChat])("row 15: an unknown model that reasons keeps its effort ($name)", async (wire) => {
    const { text: sent } = await send(wire, conversationRequest([user(text("hi"))], { thinking: "low" }), {
      id: "house-model-1",
      reasoning: true,
    });
    expect(sent).toMatch(/"(?:effort|reasoning_effort)":"low"/);
  });

  test("the cache key routes, and retention sets the lifetime", async () => {
    const ask = (cacheRetention: "none" | "short" | "long"): Promise<Sent> =>
      send(openaiResponses, conversationRequest([user(text("hi"))], { cacheKey: "k-1", cacheRetention }));
    expect((await ask("short")).body).toMatchObject({ prompt_cache_key: "k-1" });
    expect((await ask("short")).body.prompt_cache_retention).toBeUndefined();
    expect((await ask("long")).body).toMatchObject({ prompt_cache_key: "k-1", prompt_cache_retention: "24h" });
    expect((await ask("none")).body.prompt_cache_key).toBeUndefined();
    // The older parameter is for models before GPT-5.6.
    const newer = conversationRequest([user(text("hi"))], { cacheKey: "k-1", cacheRetention: "long" });
    expect((await send(openaiResponses, newer, { id: "gpt-5.6-sol" })).body.prompt_cache_retention).toBeUndefined();
  });

  test("compatible chat endpoints get one system message and none of OpenAI's own settings", async () => {
    const request = conversationRequest([user(text("hi"))], { cacheKey: "k-1", thinking: "max" });
    const { body } = await send(compatibleChat, request, { provider: "ollama", reasoning: true });
    expect(list(body.messages).filter((message) => message.role === "system")).toEqual([
      { role: "system", content: "Stable half.\n\nSession half." },
    ]);
    expect(Object.keys(body).sort()).toEqual(["max_tokens", "messages", "model", "reasoning_effort", "stream", "stream_options", "tools"]);
    expect(body).toMatchObject({ reasoning_effort: "high", stream_options: { include_usage: true } });
  });
});

describe("Mistral", () => {
  test("ids are nine letters or digits, the same in every request, and never the same for two", async () => {
    await fc.assert(
      fc.asyncProperty(conversations, async ({ messages }) => {
        const { body } = await sendMessages(mistral, messages);
        const calls = list(body.messages).flatMap((message) => list(message.tool_calls).map((call) => String(call.id)));
        for (const id of calls) expect(id).toMatch(/^[a-zA-Z0-9]{9}$/);
        expect(new Set(calls).size).toBe(calls.length);
        const results = list(body.messages).flatMap((message) => (message.role === "tool" ? [String(message.tool_call_id)] : []));
        expect(results).toEqual(calls);
      }),
      { numRuns: 50 },
    );
  });

  test("never a user message after a tool result, never two messages of one role except tool results", async () => {
    await fc.assert(
      fc.asyncProperty(conversations, async ({ messages }) => {
        const { body } = await sendMessages(mistral, messages);
        const roles = list(body.messages).map((message) => String(message.role));
        for (const [index, role] of roles.entries()) {
          const next = roles[index + 1];
          if (role === "tool") expect(next).not.toBe("user");
          if (role !== "tool" && next !== undefined) expect(next).not.toBe(role);
        }
      }),
      { numRuns: 50 },
    );
  });
});

describe("Google", () => {
  test("signatures of thoughts and calls are returned to their source", async () => {
    const own = { api: "google-generative-ai", provider: "google", model: "gemini-2.5-flash" } as const;
    const providerData = { google: { thoughtSignature: "sig-1" } };
    const { body } = await sendMessages(google, [
      user(text("look")),
      assistant([{ type: "toolCall", id: "c1", name: "ls", arguments: { path: "." }, providerData }], own),
      result("c1", [text("a.txt")]),
    ]);
    expect(list(list(body.contents)[1]?.parts)[0]).toMatchObject({ functionCall: { name: "ls" }, thoughtSignature: "sig-1" });
  });
});

test("Mistral gets the first eight images of a conversation, wherever they are, and notes for the rest", async () => {
  const shown = user(text("look"), ...Array.from({ length: 5 }, () => PIXEL));
  const { text: five } = await sendMessages(mistral, [shown]);
  const { text: ten } = await sendMessages(mistral, [shown, assistant([text("Fine.")]), shown]);
  expect(five.match(/"image_url":/g)).toHaveLength(5);
  expect(ten.match(/"image_url":/g)).toHaveLength(8);
  expect(ten.match(/image left out: a request to this model takes 8/g)).toHaveLength(2);
});
