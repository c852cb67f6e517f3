import { randomInt } from "node:crypto";
import type { JsonObject } from "../json.ts";
import type { FaultFrames } from "../server/body-fault.ts";
import { freshId, piecesOf, sseFrame } from "../strict/render-parts.ts";
import type { ErrorKind, ReplyBlock, ReplyStop, ReplyUsage } from "../strict/scripted-reply.ts";
import type { RenderedReply } from "../strict/wire.ts";
import { mistralErrorBody } from "./errors.ts";

const FINISH: Readonly<Record<ReplyStop, string>> = { stop: "stop", "tool-calls": "tool_calls", length: "length", refusal: "error" };
const LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

/** Nine letters and digits, as the vendor makes the ids of calls. */
function freshCallId(): string {
  return Array.from({ length: 9 }, () => LETTERS[randomInt(LETTERS.length)]).join("");
}

function renderUsage({ input, cacheRead, output }: ReplyUsage): JsonObject {
  const prompt = input + cacheRead;
  return { prompt_tokens: prompt, completion_tokens: output, total_tokens: prompt + output, num_cached_tokens: cacheRead };
}

function thinkingChunk(text: string): JsonObject {
  return { type: "thinking", thinking: [{ type: "text", text }] };
}

function renderCalls(content: readonly ReplyBlock[]): readonly JsonObject[] {
  return content
    .filter((block) => block.type === "toolCall")
    .map((block, index) => ({
      id: block.id ?? freshCallId(),
      function: { name: block.name, arguments: block.argumentsText ?? JSON.stringify(block.arguments) },
      index,
    }));
}

/** A complete answer; with thinking, content is a list. */
export function renderMistral(reply: RenderedReply): JsonObject {
  const text = reply.content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("");
  const thinks = reply.content.some(({ type }) => type === "thinking");
  const calls = renderCalls(reply.content);
  const chunks = reply.content.flatMap((block): JsonObject[] =>
    block.type === "thinking" ? [thinkingChunk(block.text)] : block.type === "text" ? [{ type: "text", text: block.text }] : [],
  );
  const message = { role: "assistant", content: thinks ? chunks : text, tool_calls: calls.length === 0 ? null : calls };
  return {
    id: freshId("", 16),
    object: "chat.completion",
    created: 1_780_000_000,
    model: reply.model,
    choices: [{ index: 0, message, finish_reason: FINISH[reply.stop] }],
    usage: renderUsage(reply.usage),
  };
}

/** The chunks of a streamed answer; each is one frame. Calls come whole, the last chunk has the usage. */
export function renderMistralStream(reply: RenderedReply): readonly string[] {
  const head = { id: freshId("", 16), object: "chat.completion.chunk", created: 1_780_000_000, model: reply.model };
  const chunk = (delta: JsonObject, finish: string | null = null, tail: JsonObject = {}): string =>
    sseFrame({ ...head, choices: [{ index: 0, delta, finish_reason: finish }], ...tail });
  const frames = [chunk({ role: "assistant", content: "" })];
  for (const block of reply.content) {
    if (block.type === "toolCall") continue;
    for (const piece of piecesOf(block.text, reply.deltaCharacters)) {
      frames.push(chunk({ content: block.type === "thinking" ? [thinkingChunk(piece)] : piece }));
    }
  }
  const calls = renderCalls(reply.content);
  const end = calls.length === 0 ? { content: "" } : { content: "", tool_calls: calls };
  return [...frames, chunk(end, FINISH[reply.stop], { usage: renderUsage(reply.usage) }), "data: [DONE]\n\n"];
}

/** Frames inserted by faults. */
export const MISTRAL_FAULT_FRAMES: FaultFrames<ErrorKind> = {
  garbage: 'data: {"id":"1","object":"chat.completion.chunk","choices":[{"index":0,"del\n\n',
  unknownEvent: sseFrame({
    id: "1",
    object: "chat.completion.weather",
    created: 1_780_000_000,
    model: "sky",
    choices: [],
    wind: { knots: 3 },
  }),
  error: (kind, message) => sseFrame(mistralErrorBody(kind, { message })),
};
