import type { AnthropicErrorType } from "../anthropic/errors.ts";
import { prepareReply } from "../anthropic/prepared-reply.ts";
import type { AnthropicReply } from "../anthropic/reply.ts";
import { startAnthropicServer } from "../anthropic/start-anthropic-server.ts";
import { startGoogleServer } from "../google/start-google-server.ts";
import { startMistralServer } from "../mistral/start-mistral-server.ts";
import { startOpenAiChatServer } from "../openai-chat/start-openai-chat-server.ts";
import { startOpenAiResponsesServer } from "../openai-responses/start-openai-responses-server.ts";
import type { BodyFault } from "../server/body-fault.ts";
import type { ErrorKind, MessageReply, ScriptedReply } from "./scripted-reply.ts";
import type { StrictServer, StrictServerOptions } from "./strict-server.ts";
import { stopOf, type WireFormatName } from "./wire.ts";

/** Every wire format, for tests that run once for each. */
export const WIRE_FORMATS: readonly WireFormatName[] = [
  "anthropic-messages",
  "openai-responses",
  "openai-chat",
  "google-generative-ai",
  "mistral",
];

/** Starts the strict server of a wire format: one test can drive them all. */
export function startStrictServer(format: WireFormatName, options: StrictServerOptions = {}): Promise<StrictServer> {
  switch (format) {
    case "anthropic-messages":
      return startAnthropic(options);
    case "openai-responses":
      return startOpenAiResponsesServer(options);
    case "openai-chat":
      return startOpenAiChatServer(options);
    case "google-generative-ai":
      return startGoogleServer(options);
    case "mistral":
      return startMistralServer(options);
  }
}

async function startAnthropic(options: StrictServerOptions): Promise<StrictServer> {
  const server = await startAnthropicServer(options);
  return {
    format: "anthropic-messages",
    baseUrl: server.baseUrl,
    requests: server.requests,
    get violations() {
      return server.violations;
    },
    script: (replies) => server.script(replies.map(toAnthropicReply)),
    respond: (responder) => server.respond(async (request) => toAnthropicReply(await responder(request))),
    hold: () => server.hold(),
    nextRequest: (next) => server.nextRequest(next),
    nextAborted: (next) => server.nextAborted(next),
    instantReply: (reply) => server.instantReply(typeof reply === "string" ? prepareReplyOnce(reply) : reply),
    closeIdleConnections: () => server.closeIdleConnections(),
    close: () => server.close(),
    [Symbol.asyncDispose]: () => server.close(),
  };
}

function prepareReplyOnce(text: string): () => ReturnType<typeof prepareReply> {
  const prepared = prepareReply(text);
  return () => prepared;
}

const ERROR_TYPES: Readonly<Record<ErrorKind, AnthropicErrorType>> = {
  "invalid-request": "invalid_request_error",
  authentication: "authentication_error",
  permission: "permission_error",
  "not-found": "not_found_error",
  "request-too-large": "request_too_large",
  "rate-limit": "rate_limit_error",
  quota: "billing_error",
  server: "api_error",
  overloaded: "overloaded_error",
  timeout: "timeout_error",
};

const STOP_REASONS = { stop: "end_turn", "tool-calls": "tool_use", length: "max_tokens", refusal: "refusal" } as const;

/** Converts a reply to this vendor's format. */
export function toAnthropicReply(reply: ScriptedReply): AnthropicReply {
  switch (reply.type) {
    case "raw":
      return reply;
    case "error":
      return { ...reply, errorType: ERROR_TYPES[reply.errorType] };
    case "message": {
      const { content, stop: _stop, usage, fault, ...rest } = reply;
      return {
        ...rest,
        content: content.map((block) => {
          switch (block.type) {
            case "text":
              return block;
            case "thinking":
              return { type: "thinking", thinking: block.text };
            case "toolCall":
              return {
                type: "tool_use",
                name: block.name,
                input: block.arguments,
                ...(block.argumentsText !== undefined && { inputText: block.argumentsText }),
                ...(block.id !== undefined && { id: block.id }),
              };
          }
        }),
        stopReason: STOP_REASONS[stopOf(reply)],
        ...(usage === undefined ? {} : { usage: toAnthropicUsage(usage) }),
        ...(fault === undefined ? {} : { fault: toAnthropicFault(fault) }),
      };
    }
  }
}

function toAnthropicUsage({
  input,
  cacheRead,
  cacheWrite,
  output,
}: NonNullable<MessageReply["usage"]>): NonNullable<Extract<AnthropicReply, { type: "message" }>["usage"]> {
  return {
    ...(input !== undefined && { input_tokens: input }),
    ...(cacheRead !== undefined && { cache_read_input_tokens: cacheRead }),
    ...(cacheWrite !== undefined && { cache_creation_input_tokens: cacheWrite }),
    ...(output !== undefined && { output_tokens: output }),
  };
}

function toAnthropicFault(fault: BodyFault<ErrorKind>): BodyFault<AnthropicErrorType> {
  return fault.type === "error-event" ? { ...fault, errorType: ERROR_TYPES[fault.errorType] } : fault;
}
