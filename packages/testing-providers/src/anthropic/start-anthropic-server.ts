import type { JsonObject } from "../json.ts";
import type { Answer } from "../server/answer.ts";
import { breakFrames, streamFaultOf } from "../server/body-fault.ts";
import { type Arrival, type EngineFormat, type Responder, type ServerControls, startEngine } from "../server/strict-engine.ts";
import { parseApiVersion } from "./api-versions.ts";
import { ERROR_STATUS } from "./errors.ts";
import { type AnthropicModel, findAnthropicModel } from "./models.ts";
import { prepareReply, wantsStream } from "./prepared-reply.ts";
import { PromptCache } from "./prompt-cache.ts";
import type { PromptUsage, RecordedRequest } from "./recorded-request.ts";
import { errorBody, FAULT_FRAMES, PING_FRAME, renderEvents, renderMessage, wireId } from "./render-message.ts";
import type { AnthropicReply } from "./reply.ts";
import { checkAnthropicRequest, checkTransport, findRule } from "./rules.ts";
import { prefixesOf } from "./signature.ts";

/** 32 MB, the vendor's limit for a request. */
const MAX_REQUEST_BYTES = 32 * 1024 * 1024;

export interface AnthropicServerOptions {
  /** The only accepted key; any by default. */
  readonly apiKey?: string;
  /** Additional models, by id; an entry replaces the built-in one. */
  readonly models?: Readonly<Record<string, AnthropicModel>>;
  /** Overrides every model's minimum cacheable prefix; 0 caches every marked prefix. */
  readonly minCacheTokens?: number;
  /** Milliseconds since the epoch; default `Date.now`. Decides when cache entries expire. */
  readonly now?: () => number;
  /** Root of a server that answers valid requests without a script or responder. */
  readonly upstream?: string;
}

/** Makes a reply to a valid request. */
export type AnthropicResponder = Responder<AnthropicReply, PromptUsage>;

/** A strict local server of the Anthropic Messages API; see {@link startAnthropicServer}. */
export type AnthropicServer = ServerControls<AnthropicReply, PromptUsage>;

/**
 * Starts the server on 127.0.0.1. It refuses every request that breaks a rule of the vendor with the vendor's error, and answers the others from the script,
 * else from the responder, else from the upstream, else with a 500 that says that none is left.
 */
export function startAnthropicServer(options: AnthropicServerOptions = {}): Promise<AnthropicServer> {
  return startEngine(new AnthropicFormat(options), { now: options.now, upstream: options.upstream });
}

class AnthropicFormat implements EngineFormat<AnthropicReply, PromptUsage> {
  readonly maxRequestBytes: number = MAX_REQUEST_BYTES;
  readonly #options: AnthropicServerOptions;
  readonly #cache = new PromptCache();

  constructor(options: AnthropicServerOptions) {
    this.#options = options;
  }

  inspect(arrival: Arrival): ReturnType<EngineFormat<AnthropicReply, PromptUsage>["inspect"]> {
    const { models = {}, apiKey, minCacheTokens } = this.#options;
    const transport = checkTransport({ ...arrival, maxBytes: MAX_REQUEST_BYTES, apiKey });
    const version = parseApiVersion(arrival.headers["anthropic-version"]);
    const violations = transport.length > 0 ? transport : checkAnthropicRequest(arrival.body ?? {}, { models, version });
    if (violations.length > 0 || arrival.body === undefined) return { violations, usage: undefined };
    const minTokens = minCacheTokens ?? findAnthropicModel(modelOf(arrival.body), models)?.minCacheTokens ?? 0;
    return { violations, usage: this.#cache.charge(arrival.body, { nowMs: arrival.nowMs, minTokens }) };
  }

  refuse({ rule, message }: { readonly rule: string; readonly message: string }): Answer {
    return renderError({ type: "error", errorType: findRule(rule)?.errorType ?? "invalid_request_error", message });
  }

  fail(message: string): Answer {
    return renderError({ type: "error", errorType: "api_error", message });
  }

  answer(reply: AnthropicReply, request: RecordedRequest): Answer {
    switch (reply.type) {
      case "raw":
        return { type: "whole", status: reply.status, headers: { "request-id": wireId("req"), ...reply.headers }, body: reply.body };
      case "error":
        return renderError(reply);
      case "message": {
        const { fault } = reply;
        const model = modelOf(request.body);
        const binds = findAnthropicModel(model, this.#options.models)?.bindsThinking === true;
        const prefix = binds && request.body !== undefined ? prefixesOf(request.body).at(-1) : undefined;
        const message = renderMessage(reply, model, { input: request.usage, prefix });
        const streams = request.body?.["stream"] === true;
        const contentType = streams ? "text/event-stream; charset=utf-8" : "application/json";
        return {
          type: "frames",
          headers: { "content-type": contentType, "cache-control": "no-cache", "request-id": wireId("req") },
          frames: streams ? breakFrames(renderEvents(message, reply), fault, FAULT_FRAMES) : [JSON.stringify(message)],
          keepAliveFrame: streams ? PING_FRAME : " ",
          chunkBytes: reply.chunkBytes,
          fault: streamFaultOf(fault),
          notBefore: fault?.type === "slow-headers" ? fault.until : undefined,
        };
      }
    }
  }

  prepare(text: string): ReturnType<typeof prepareReply> {
    return prepareReply(text);
  }

  wantsStream(_path: string, bytes: Buffer): boolean {
    return wantsStream(bytes);
  }
}

function renderError(reply: Extract<AnthropicReply, { type: "error" }>): Answer {
  const requestId = wireId("req");
  return {
    type: "whole",
    status: reply.status ?? ERROR_STATUS[reply.errorType],
    headers: { "request-id": requestId, "content-type": "application/json", ...reply.headers },
    body: JSON.stringify(errorBody(reply.errorType, reply.message, requestId)),
  };
}

function modelOf(body: JsonObject | undefined): string {
  const model = body?.["model"];
  return typeof model === "string" ? model : "";
}
