import { asParts, data, list, type Said, type Wire } from "./wire.ts";

const CHUNK = { id: "chatcmpl-1", object: "chat.completion.chunk", created: 1_780_000_000, model: "test" };

function chunk(delta: Record<string, unknown>, finish_reason: string | null = null): string {
  return data({ ...CHUNK, choices: [{ index: 0, delta, finish_reason }] });
}

function deltas(said: Said, position: number): string[] {
  switch (said.type) {
    case "text":
      return said.pieces.map((content) => chunk({ content }));
    case "thinking":
      return said.pieces.map((reasoning_content) => chunk({ reasoning_content }));
    case "call":
      return [
        chunk({ tool_calls: [{ index: position, id: said.id, type: "function", function: { name: said.name, arguments: "" } }] }),
        ...said.pieces.map((text) => chunk({ tool_calls: [{ index: position, function: { arguments: text } }] })),
      ];
  }
}

const FINISH = { stop: "stop", tools: "tool_calls", length: "length", filter: "content_filter" } as const;

function chatWire(name: string, info: Wire["info"]): Wire {
  return {
    name,
    api: "openai-chat",
    info,
    path: "/v1/chat/completions",
    finishes: ["stop", "tools", "length", "filter"],
    signsThinking: false,
    begin: () => [chunk({ role: "assistant" })],
    say: (said) => {
      const calls = said.filter((one) => one.type === "call");
      return said.flatMap((one) => deltas(one, one.type === "call" ? calls.indexOf(one) : 0));
    },
    end: (finish, { input, cacheRead, output }) => [
      chunk({}, FINISH[finish]),
      data({
        ...CHUNK,
        choices: [],
        usage: {
          prompt_tokens: input + cacheRead,
          completion_tokens: output,
          total_tokens: input + cacheRead + output,
          prompt_tokens_details: { cached_tokens: cacheRead },
        },
      }),
      "data: [DONE]\n\n",
    ],
    halfCall: [
      chunk({ tool_calls: [{ index: 0, id: "call_9", type: "function", function: { name: "write", arguments: '{"path":"a.txt","con' } }] }),
    ],
    failure: {
      frame: data({ error: { message: "The server is overloaded, try again", type: "server_error", code: 503 } }),
      code: "overloaded",
    },
    unknown: data({ ...CHUNK, hologram: { depth: 3 } }),
    keepAlive: ": PROCESSING\n\n",
    overflow: {
      status: 400,
      body: {
        error: {
          message: "This model's maximum context length is 128000 tokens. However, your messages resulted in 130112 tokens.",
          type: "invalid_request_error",
          code: "context_length_exceeded",
        },
      },
    },
    flatten: (body) => [
      ...list(body.tools),
      ...list(body.messages).flatMap(({ content, ...rest }) => asParts(content).map((part) => [rest, part])),
    ],
  };
}

export const openaiChat: Wire = chatWire("openai-chat (OpenAI)", {
  provider: "openai",
  id: "gpt-4o",
  reasoning: false,
  input: ["text", "image"],
});

export const compatibleChat: Wire = chatWire("openai-chat (others)", {
  provider: "deepseek",
  id: "deepseek-chat",
  reasoning: true,
  input: ["text", "image"],
});
