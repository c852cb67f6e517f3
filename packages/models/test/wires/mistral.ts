import { withoutUndefined } from "@factotum/agent-contract";
import { asParts, data, list, type Said, type Wire } from "./wire.ts";

const CHUNK = { id: "cmpl-1", object: "chat.completion.chunk", created: 1_780_000_000, model: "mistral-medium-latest" };

function chunk(delta: Record<string, unknown>, finish_reason: string | null = null, usage?: Record<string, number>): string {
  return data({ ...CHUNK, choices: [{ index: 0, delta, finish_reason }], ...withoutUndefined({ usage }) });
}

function deltas(said: Said): string[] {
  switch (said.type) {
    case "text":
      return said.pieces.map((content) => chunk({ content }));
    case "thinking":
      return said.pieces.map((text) => chunk({ content: [{ type: "thinking", thinking: [{ type: "text", text }] }] }));
    case "call":
      // Mistral sends a call in one piece.
      return [chunk({ tool_calls: [{ id: said.id, index: 0, function: { name: said.name, arguments: said.pieces.join("") } }] })];
  }
}

const FINISH = { stop: "stop", tools: "tool_calls", length: "length", filter: "error" } as const;

export const mistral: Wire = {
  name: "mistral",
  api: "mistral",
  info: { provider: "mistral", id: "mistral-medium-latest", reasoning: false, input: ["text", "image"] },
  path: "/v1/chat/completions",
  finishes: ["stop", "tools", "length"],
  signsThinking: false,
  begin: () => [chunk({ role: "assistant", content: "" })],
  say: (said) => said.flatMap(deltas),
  end: (finish, { input, cacheRead, output }) => [
    chunk({ content: "" }, FINISH[finish], {
      prompt_tokens: input + cacheRead,
      completion_tokens: output,
      total_tokens: input + cacheRead + output,
      num_cached_tokens: cacheRead,
    }),
    "data: [DONE]\n\n",
  ],
  halfCall: [chunk({ tool_calls: [{ id: "abcdefghi", index: 0, function: { name: "write", arguments: '{"path":"a.txt","con' } }] })],
  failure: {
    frame: data({ object: "error", message: "Rate limit exceeded", type: "rate_limited", param: null, code: "1300" }),
    code: "rate-limited",
  },
  unknown: data({ ...CHUNK, hologram: { depth: 3 } }),
  keepAlive: ": keep-alive\n\n",
  overflow: {
    status: 400,
    body: {
      object: "error",
      message: "Prompt contains 140112 tokens and 0 draft tokens, too large for model with 131072 maximum context length",
      type: "invalid_request_prompt",
      param: null,
      code: "3051",
    },
  },
  flatten: (body) => [
    ...list(body.tools),
    ...list(body.messages).flatMap(({ content, ...rest }) => asParts(content).map((part) => [rest, part])),
  ],
};
