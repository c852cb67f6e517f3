import { asParts, event, list, type Said, type Wire } from "./wire.ts";

function block(said: Said, index: number): string[] {
  const delta = (value: Record<string, unknown>): string => event("content_block_delta", { index, delta: value });
  const stop = event("content_block_stop", { index });
  switch (said.type) {
    case "text":
      return [
        event("content_block_start", { index, content_block: { type: "text", text: "" } }),
        ...said.pieces.map((text) => delta({ type: "text_delta", text })),
        stop,
      ];
    case "thinking":
      return [
        event("content_block_start", { index, content_block: { type: "thinking", thinking: "", signature: "" } }),
        ...said.pieces.map((thinking) => delta({ type: "thinking_delta", thinking })),
        delta({ type: "signature_delta", signature: said.proof }),
        stop,
      ];
    case "call":
      return [
        event("content_block_start", { index, content_block: { type: "tool_use", id: said.id, name: said.name, input: {} } }),
        ...said.pieces.map((partial_json) => delta({ type: "input_json_delta", partial_json })),
        stop,
      ];
  }
}

const STOP = { stop: "end_turn", tools: "tool_use", length: "max_tokens", filter: "refusal" } as const;

export const anthropic: Wire = {
  name: "anthropic-messages",
  api: "anthropic-messages",
  info: { provider: "anthropic", id: "claude-sonnet-4-5", reasoning: true, input: ["text", "image"] },
  path: "/v1/messages",
  finishes: ["stop", "tools", "length", "filter"],
  signsThinking: true,
  begin: ({ input, cacheRead }) => [
    event("message_start", {
      message: {
        id: "msg_1",
        type: "message",
        role: "assistant",
        model: "claude-sonnet-4-5",
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { input_tokens: input, cache_read_input_tokens: cacheRead, cache_creation_input_tokens: 0, output_tokens: 1 },
      },
    }),
  ],
  say: (said) => said.flatMap(block),
  end: (finish, { output }) => [
    event("message_delta", { delta: { stop_reason: STOP[finish], stop_sequence: null }, usage: { output_tokens: output } }),
    event("message_stop", {}),
  ],
  halfCall: [
    event("content_block_start", { index: 1, content_block: { type: "tool_use", id: "toolu_9", name: "write", input: {} } }),
    event("content_block_delta", { index: 1, delta: { type: "input_json_delta", partial_json: '{"path":"a.txt","con' } }),
  ],
  failure: { frame: event("error", { error: { type: "overloaded_error", message: "Overloaded" } }), code: "overloaded" },
  unknown: event("content_block_glow", { index: 0, glow: { colour: "green" } }),
  keepAlive: event("ping", {}),
  overflow: {
    status: 400,
    body: { type: "error", error: { type: "invalid_request_error", message: "prompt is too long: 208310 tokens > 200000 maximum" } },
  },
  flatten: (body) => [
    ...list(body.tools).map(withoutMark),
    ...list(body.system).map(withoutMark),
    ...list(body.messages).flatMap(({ role, content }) => asParts(content).map((part) => [role, withoutMark(part)])),
  ],
};

function withoutMark(part: unknown): unknown {
  if (typeof part !== "object" || part === null) return part;
  return Object.fromEntries(Object.entries(part).filter(([key]) => key !== "cache_control"));
}
