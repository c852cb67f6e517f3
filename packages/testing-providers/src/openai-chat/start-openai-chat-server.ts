import type { JsonObject } from "../json.ts";
import { OPENAI_ERRORS, openaiErrorBody } from "../openai/errors.ts";
import type { OpenAiModel } from "../openai/models.ts";
import { stringOf } from "../openai/read-body.ts";
import type { RuleViolation } from "../server/rule-violation.ts";
import { type CanonicalRequest, entriesOf } from "../strict/prefix-report.ts";
import { freshId } from "../strict/render-parts.ts";
import { createShapeCheck } from "../strict/shape-check.ts";
import { checkBody, startWireServer } from "../strict/start-wire-server.ts";
import type { StrictServer, StrictServerOptions } from "../strict/strict-server.ts";
import type { Wire } from "../strict/wire.ts";
import { COMPATIBLE_CHAT_RULES, OPENAI_CHAT_RULES } from "./chat-rules.ts";
import { CHAT_SCHEMA, COMPATIBLE_SCHEMA } from "./chat-schema.ts";
import { type ChatView, viewChat } from "./chat-view.ts";
import { CHAT_FAULT_FRAMES, renderChat, renderChatStream } from "./render-chat.ts";

export interface OpenAiChatOptions {
  /** Additional models, by id; an entry replaces the built-in one. */
  readonly models?: Readonly<Record<string, OpenAiModel>>;
  /**
   * Plays a compatible server (llama.cpp, vLLM, DeepSeek): any model, no key needed, unknown fields pass, thinking is shown as `reasoning_content`; one system
   * message, at the start. Default false.
   */
  readonly compatible?: boolean;
}

export interface OpenAiChatServerOptions extends StrictServerOptions, OpenAiChatOptions {}

/** Starts a strict server of OpenAI's Chat Completions on 127.0.0.1, or of a compatible one. */
export function startOpenAiChatServer(options: OpenAiChatServerOptions = {}): Promise<StrictServer> {
  return startWireServer(openaiChatWire(options), options);
}

/** Every rule that a body breaks, in table order; empty for a valid body. */
export function checkOpenAiChatRequest(body: JsonObject, options: OpenAiChatOptions = {}): readonly RuleViolation[] {
  return checkBody(openaiChatWire(options), "/v1/chat/completions", body);
}

const checkChatShape = createShapeCheck(CHAT_SCHEMA);
const checkCompatibleShape = createShapeCheck(COMPATIBLE_SCHEMA);

/** Tools, system messages and the others, each message as it was sent. */
export function canonicalOpenAiChat(body: JsonObject): CanonicalRequest {
  const messages = entriesOf(body["messages"]);
  const isSystem = (entry: string): boolean => /^\{"role":"(?:system|developer)"/.test(entry);
  const lead = messages.findIndex((entry) => !isSystem(entry));
  const split = lead === -1 ? messages.length : lead;
  return { tools: entriesOf(body["tools"]), system: messages.slice(0, split), messages: messages.slice(split) };
}

function openaiChatWire({ models = {}, compatible = false }: OpenAiChatOptions): Wire<ChatView> {
  const thinking = compatible ? "open" : "hidden";
  return {
    format: "openai-chat",
    maxRequestBytes: 512 * 1024 * 1024,
    minCacheTokens: 1024,
    rules: compatible ? COMPATIBLE_CHAT_RULES : OPENAI_CHAT_RULES,
    modelOf: (_path, body) => stringOf(body["model"]),
    checkShape: compatible ? checkCompatibleShape : checkChatShape,
    view: (_path, body) => viewChat(body, models),
    canonical: canonicalOpenAiChat,
    streams: (_path, body) => body["stream"] === true,
    wantsStream: (_path, bytes) => bytes.includes('"stream":true'),
    renderStream: (reply) => renderChatStream(reply, thinking),
    renderWhole: (reply) => renderChat(reply, thinking),
    keepAliveFrame: compatible ? ": PROCESSING\n\n" : ": keep-alive\n\n",
    faultFrames: CHAT_FAULT_FRAMES,
    errors: OPENAI_ERRORS,
    errorBody: openaiErrorBody,
    headers: () => ({ "x-request-id": freshId("req_", 16) }),
  };
}
