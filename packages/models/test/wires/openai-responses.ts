import { asParts, event, list, type Said, type Wire } from "./wire.ts";

function item(said: Said, output_index: number): string[] {
  const item_id = `item_${output_index}`;
  const added = (value: Record<string, unknown>): string =>
    event("response.output_item.added", { output_index, item: { id: item_id, ...value } });
  const done = (value: Record<string, unknown>): string =>
    event("response.output_item.done", { output_index, item: { id: item_id, ...value } });
  switch (said.type) {
    case "text": {
      const text = said.pieces.join("");
      return [
        added({ type: "message", role: "assistant", status: "in_progress", content: [] }),
        event("response.content_part.added", {
          item_id,
          output_index,
          content_index: 0,
          part: { type: "output_text", text: "", annotations: [] },
        }),
        ...said.pieces.map((delta) => event("response.output_text.delta", { item_id, output_index, content_index: 0, delta })),
        event("response.output_text.done", { item_id, output_index, content_index: 0, text }),
        done({ type: "message", role: "assistant", status: "completed", content: [{ type: "output_text", text, annotations: [] }] }),
      ];
    }
    case "thinking":
      return [
        added({ type: "reasoning", summary: [], encrypted_content: null }),
        event("response.reasoning_summary_part.added", {
          item_id,
          output_index,
          summary_index: 0,
          part: { type: "summary_text", text: "" },
        }),
        ...said.pieces.map((delta) => event("response.reasoning_summary_text.delta", { item_id, output_index, summary_index: 0, delta })),
        event("response.reasoning_summary_part.done", {
          item_id,
          output_index,
          summary_index: 0,
          part: { type: "summary_text", text: said.pieces.join("") },
        }),
        done({ type: "reasoning", summary: [{ type: "summary_text", text: said.pieces.join("") }], encrypted_content: said.proof }),
      ];
    case "call":
      return [
        added({ type: "function_call", call_id: said.id, name: said.name, arguments: "", status: "in_progress" }),
        ...said.pieces.map((delta) => event("response.function_call_arguments.delta", { item_id, output_index, delta })),
        event("response.function_call_arguments.done", { item_id, output_index, arguments: said.pieces.join("") }),
        done({ type: "function_call", call_id: said.id, name: said.name, arguments: said.pieces.join(""), status: "completed" }),
      ];
  }
}

const RESPONSE = { id: "resp_1", object: "response", created_at: 1_780_000_000, model: "gpt-5.5" };

export const openaiResponses: Wire = {
  name: "openai-responses",
  api: "openai-responses",
  info: { provider: "openai", id: "gpt-5.5", reasoning: true, input: ["text", "image"] },
  path: "/v1/responses",
  finishes: ["stop", "tools", "length", "filter"],
  signsThinking: true,
  begin: () => [
    event("response.created", { response: { ...RESPONSE, status: "in_progress" } }),
    event("response.in_progress", { response: { ...RESPONSE, status: "in_progress" } }),
  ],
  say: (said) => said.flatMap(item),
  end: (finish, { input, cacheRead, output }) => {
    const usage = {
      input_tokens: input + cacheRead,
      input_tokens_details: { cached_tokens: cacheRead },
      output_tokens: output,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: input + cacheRead + output,
    };
    const reason = { length: "max_output_tokens", filter: "content_filter" }[finish as string];
    if (reason === undefined) return [event("response.completed", { response: { ...RESPONSE, status: "completed", usage } })];
    return [event("response.incomplete", { response: { ...RESPONSE, status: "incomplete", incomplete_details: { reason }, usage } })];
  },
  halfCall: [
    event("response.output_item.added", {
      output_index: 1,
      item: { id: "fc_1", type: "function_call", call_id: "call_9", name: "write", arguments: "", status: "in_progress" },
    }),
    event("response.function_call_arguments.delta", { item_id: "fc_1", output_index: 1, delta: '{"path":"a.txt","con' }),
  ],
  failure: {
    frame: event("error", {
      sequence_number: 9,
      error: { type: "rate_limit_error", code: "rate_limit_exceeded", message: "Rate limit reached", param: null },
    }),
    code: "rate-limited",
  },
  unknown: event("response.hologram.delta", { item_id: "item_0", output_index: 0, delta: { depth: 3 } }),
  keepAlive: ": keep-alive\n\n",
  overflow: {
    status: 400,
    body: {
      error: {
        message: "Your input exceeds the context window of this model.",
        type: "invalid_request_error",
        param: "input",
        code: "context_length_exceeded",
      },
    },
  },
  flatten: (body) => [
    ...list(body.tools),
    ...list(body.input).flatMap(({ content, ...rest }) => asParts(content).map((part) => [rest, part])),
  ],
};
