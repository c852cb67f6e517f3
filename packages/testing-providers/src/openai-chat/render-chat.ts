import type { JsonObject, JsonValue } from "../json.ts";
import type { FaultFrames } from "../server/body-fault.ts";
import { openaiErrorBody } from "../openai/errors.ts";
import { freshId, piecesOf, sseFrame } from "../strict/render-parts.ts";
import type { ErrorKind, ReplyBlock, ReplyStop, ReplyUsage } from "../strict/scripted-reply.ts";
import type { RenderedReply } from "../strict/wire.ts";

/** The vendor hides its models' thoughts; compatible servers show them in a separate field. */
export type ThinkingStyle = "hidden" | "open";

const FINISH: Readonly<Record<ReplyStop, string>> = {
  stop: "stop",
  "tool-calls": "tool_calls",
  length: "length",
  refusal: "content_filter",
};

interface Call {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

function callsOf(content: readonly ReplyBlock[]): readonly Call[] {
  return content.flatMap((block) =>
    block.type === "toolCall"
      ? [{ id: block.id ?? freshId("call_", 12), name: block.name, arguments: block.argumentsText ?? JSON.stringify(block.arguments) }]
      : [],
  );
}

function textOf(content: readonly ReplyBlock[], type: "text" | "thinking"): string {
  return content.flatMap((block) => (block.type === type ? [block.text] : [])).join("");
}

function renderUsage({ input, cacheRead, output, reasoning }: ReplyUsage): JsonObject {
  const prompt = input + cacheRead;
  return {
    prompt_tokens: prompt,
    completion_tokens: output,
    total_tokens: prompt + output,
    prompt_tokens_details: { cached_tokens: cacheRead, audio_tokens: 0 },
    completion_tokens_details: {
      reasoning_tokens: reasoning,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  };
}

/** A complete answer. */
export function renderChat(reply: RenderedReply, style: ThinkingStyle): JsonObject {
  const text = textOf(reply.content, "text");
  const thinking = textOf(reply.content, "thinking");
  const calls = callsOf(reply.content);
  const message = {
    role: "assistant",
    content: text === "" ? null : text,
    refusal: null,
    ...(thinking === "" || style === "hidden" ? {} : { reasoning_content: thinking }),
    ...(calls.length === 0
      ? {}
      : { tool_calls: calls.map(({ id, name, arguments: args }) => ({ id, type: "function", function: { name, arguments: args } })) }),
  };
  return {
    id: freshId("chatcmpl-", 14),
    object: "chat.completion",
    created: 1_780_000_000,
    model: reply.model,
    choices: [{ index: 0, message, logprobs: null, finish_reason: FINISH[reply.stop] }],
    usage: renderUsage(reply.usage),
  };
}

/** The chunks of a streamed answer; each is one frame. */
export function renderChatStream(reply: RenderedReply, style: ThinkingStyle): readonly string[] {
  const head = { id: freshId("chatcmpl-", 14), object: "chat.completion.chunk", created: 1_780_000_000, model: reply.model };
  const options = reply.body["stream_options"] as { readonly include_usage?: boolean } | undefined;
  const withUsage = options?.include_usage === true;
  const chunk = (delta: JsonObject, finish: string | null = null): string =>
    sseFrame({ ...head, choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }], ...(withUsage ? { usage: null } : {}) });
  const frames = [chunk({ role: "assistant", content: "", ...(style === "hidden" ? { refusal: null } : {}) })];
  const deltas = (text: string, render: (piece: string) => JsonObject): void => {
    for (const piece of piecesOf(text, reply.deltaCharacters)) frames.push(chunk(render(piece)));
  };
  if (style === "open") deltas(textOf(reply.content, "thinking"), (piece) => ({ reasoning_content: piece }));
  deltas(textOf(reply.content, "text"), (content) => ({ content }));
  for (const [index, call] of callsOf(reply.content).entries()) {
    const opening: JsonValue = { index, id: call.id, type: "function", function: { name: call.name, arguments: "" } };
    frames.push(chunk({ tool_calls: [opening] }));
    deltas(call.arguments, (piece) => ({ tool_calls: [{ index, function: { arguments: piece } }] }));
  }
  frames.push(chunk({}, FINISH[reply.stop]));
  if (withUsage) frames.push(sseFrame({ ...head, choices: [], usage: renderUsage(reply.usage) }));
  return [...frames, "data: [DONE]\n\n"];
}

/** Frames inserted by faults. */
export const CHAT_FAULT_FRAMES: FaultFrames<ErrorKind> = {
  garbage: 'data: {"id":"chatcmpl-1","object":"chat.completion.chunk","choices":[{"index":0,"del\n\n',
  unknownEvent: sseFrame({
    id: "chatcmpl-1",
    object: "chat.completion.weather",
    created: 1_780_000_000,
    model: "sky",
    choices: [],
    wind: { knots: 3 },
  }),
  error: (kind, message) => sseFrame(openaiErrorBody(kind, { message })),
};
