import type { IncomingMessage, ServerResponse } from "node:http";
import { isJsonObject, type JsonObject, parseJson } from "../json.ts";
import { Arrivals } from "../server/arrivals.ts";
import { createGate, type Gate } from "../server/gate.ts";
import { readBody, startLoopbackServer } from "../server/loopback-server.ts";
import { released, writeFrames } from "../server/write-frames.ts";
import { parseApiVersion } from "./api-versions.ts";
import { ERROR_STATUS } from "./errors.ts";
import { type AnthropicModel, findAnthropicModel } from "./models.ts";
import { type PreparedReply, prepareReply, wantsStream } from "./prepared-reply.ts";
import { PromptCache } from "./prompt-cache.ts";
import type { RecordedRequest, RequestOutcome } from "./recorded-request.ts";
import { breakEvents, errorBody, PING_FRAME, renderEvents, renderMessage, wireId } from "./render-message.ts";
import type { AnthropicReply } from "./reply.ts";
import type { RuleViolation } from "./rule.ts";
import { checkAnthropicRequest, checkTransport, findRule } from "./rules.ts";

/** 32 MB, the vendor's limit for a request. */
const MAX_REQUEST_BYTES = 32 * 1024 * 1024;

export interface AnthropicServerOptions {
  /** The only key that is accepted; by default any. */
  readonly apiKey?: string;
  /** Models beside those that the server knows, by id; an entry replaces what it knows. */
  readonly models?: Readonly<Record<string, AnthropicModel>>;
  /** Replaces every model's smallest cacheable prefix; 0 caches whatever is marked. */
  readonly minCacheTokens?: number;
  /** Milliseconds since the epoch; default `Date.now`. Decides when cache entries expire. */
  readonly now?: () => number;
}

/** Makes a reply to a request that broke no rule. */
export type AnthropicResponder = (request: RecordedRequest) => AnthropicReply | Promise<AnthropicReply>;

/** A strict local server of the Anthropic Messages API; see {@link startAnthropicServer}. */
export interface AnthropicServer extends AsyncDisposable {
  /** The vendor's documented base, without `/v1`. */
  readonly baseUrl: string;
  /** Every request so far, refused ones included; none while instant replies are on. */
  readonly requests: readonly RecordedRequest[];
  /** The rules that the requests so far broke, in order: what most tests expect to be empty. */
  readonly violations: readonly RuleViolation[];
  /** Appends replies; each answers one request that broke no rule, in order. */
  script(replies: readonly AnthropicReply[]): void;
  /** Answers what the script does not; replaces an earlier responder. */
  respond(responder: AnthropicResponder): void;
  /** From now on requests are recorded and checked but not answered until the gate is opened. */
  hold(): Gate;
  /** The oldest request that this has not returned yet, or the next to come. */
  nextRequest(options?: { signal?: AbortSignal }): Promise<RecordedRequest>;
  /** The same for requests whose client closed the connection before the end. */
  nextAborted(options?: { signal?: AbortSignal }): Promise<RecordedRequest>;
  /** For benchmarks: from now on requests are read and answered at once, without checks, records and script. A function chooses by the body's bytes. */
  instantReply(reply: string | ((body: Buffer) => PreparedReply)): void;
  /** Destroys every connection. */
  close(): Promise<void>;
}

/**
 * Starts the server on 127.0.0.1. It refuses every request that breaks a rule of the vendor with the vendor's error, and answers
 * the others from the script, else from the responder, else with a 500 that says that nothing is left.
 */
export async function startAnthropicServer(options: AnthropicServerOptions = {}): Promise<AnthropicServer> {
  const server = new Server(options);
  const { url, close } = await startLoopbackServer((request, response) => void server.handle(request, response));
  return {
    baseUrl: url,
    requests: server.requests,
    get violations() {
      return server.requests.flatMap(({ violations }) => violations);
    },
    script: (replies) => void server.replies.push(...replies),
    respond: (responder) => void (server.responder = responder),
    hold: () => (server.held = createGate()),
    nextRequest: (next) => server.arrived.next(next),
    nextAborted: (next) => server.aborted.next(next),
    instantReply: (reply) => {
      const prepared = typeof reply === "string" ? prepareReply(reply) : undefined;
      server.instant = typeof reply === "string" ? () => prepared ?? prepareReply(reply) : reply;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

class Server {
  readonly requests: RecordedRequest[] = [];
  readonly arrived = new Arrivals<RecordedRequest>();
  readonly aborted = new Arrivals<RecordedRequest>();
  readonly replies: AnthropicReply[] = [];
  responder: AnthropicResponder | undefined;
  held: Gate | undefined;
  instant: ((body: Buffer) => PreparedReply) | undefined;
  readonly #options: AnthropicServerOptions;
  readonly #cache = new PromptCache();

  constructor(options: AnthropicServerOptions) {
    this.#options = options;
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readBody(request, { maxBytes: MAX_REQUEST_BYTES });
    if (body.type === "aborted") return;
    const bytes = body.type === "complete" ? body.bytes : Buffer.alloc(0);
    if (this.instant !== undefined) return sendPrepared(response, this.instant(bytes), bytes);

    const outcome = Promise.withResolvers<RequestOutcome>();
    const record = this.#record(request, bytes, body.type === "too-large", outcome.promise);
    const closed = new AbortController();
    response.on("close", () => closed.abort());
    this.requests.push(record);
    this.arrived.push(record);
    outcome.resolve(await this.#answer(record, response, closed.signal));
    if ((await outcome.promise) === "aborted") this.aborted.push(record);
  }

  #record(request: IncomingMessage, bytes: Buffer, tooLarge: boolean, ended: Promise<RequestOutcome>): RecordedRequest {
    const { "x-api-key": _key, authorization: _authorization, ...headers } = request.headers;
    const nowMs = (this.#options.now ?? Date.now)();
    const method = request.method ?? "";
    const path = request.url ?? "";
    const parsed = parseBody(bytes);
    const transport = checkTransport({
      method,
      path,
      headers: request.headers,
      byteLength: tooLarge ? MAX_REQUEST_BYTES + 1 : bytes.length,
      maxBytes: MAX_REQUEST_BYTES,
      apiKey: this.#options.apiKey,
      jsonError: parsed.jsonError,
    });
    const { models = {} } = this.#options;
    const version = parseApiVersion(headers["anthropic-version"]);
    const violations = transport.length > 0 ? transport : checkAnthropicRequest(parsed.body ?? {}, { models, version });
    const model = findAnthropicModel(modelOf(parsed.body), models);
    const minTokens = this.#options.minCacheTokens ?? model?.minCacheTokens ?? 0;
    const usage = violations.length > 0 || parsed.body === undefined ? undefined : this.#cache.charge(parsed.body, { nowMs, minTokens });
    return { index: this.requests.length, method, path, headers, bytes, body: parsed.body, receivedAtMs: nowMs, violations, usage, ended };
  }

  async #answer(record: RecordedRequest, response: ServerResponse, closed: AbortSignal): Promise<RequestOutcome> {
    const [violation] = record.violations;
    if (this.held !== undefined) await released(this.held, closed);
    if (closed.aborted) return "aborted";
    if (violation !== undefined) {
      const errorType = findRule(violation.rule)?.errorType ?? "invalid_request_error";
      return (await send(record, response, { type: "error", errorType, message: violation.message }, closed)) ? "refused" : "aborted";
    }
    const reply = await this.#nextReply(record);
    if (reply.type !== "none") return (await send(record, response, reply, closed)) ? "answered" : "aborted";
    await send(record, response, { type: "error", errorType: "api_error", message: reply.message }, closed);
    return "unscripted";
  }

  async #nextReply(record: RecordedRequest): Promise<AnthropicReply | { type: "none"; message: string }> {
    const scripted = this.replies.shift();
    if (scripted !== undefined) return scripted;
    if (this.responder === undefined) {
      return { type: "none", message: `Request ${record.index} has no scripted reply: call script() or respond() first.` };
    }
    try {
      return await this.responder(record);
    } catch (error) {
      return {
        type: "none",
        message: `The responder failed on request ${record.index}: ${error instanceof Error ? error.message : "no reason given"}`,
      };
    }
  }
}

/** Writes a reply; resolves when nothing more will be written: false when the client left first. */
async function send(record: RecordedRequest, response: ServerResponse, reply: AnthropicReply, closed: AbortSignal): Promise<boolean> {
  const requestId = wireId("req");
  const sendWhole = (status: number, headers: Readonly<Record<string, string>>, body: string): boolean => {
    response.writeHead(status, { "request-id": requestId, ...headers }).end(body);
    return !closed.aborted;
  };
  const json = { "content-type": "application/json" };
  switch (reply.type) {
    case "raw":
      return sendWhole(reply.status, reply.headers, reply.body);
    case "error": {
      const body = JSON.stringify(errorBody(reply.errorType, reply.message, requestId));
      return sendWhole(reply.status ?? ERROR_STATUS[reply.errorType], { ...json, ...reply.headers }, body);
    }
    case "message": {
      const { fault } = reply;
      if (fault?.type === "slow-headers") await released(fault.until, closed);
      if (closed.aborted) return false;
      const message = renderMessage(reply, modelOf(record.body), record.usage);
      const streams = record.body?.["stream"] === true;
      const frames = streams ? breakEvents(renderEvents(message, reply), fault, requestId) : [JSON.stringify(message)];
      const contentType = streams ? "text/event-stream; charset=utf-8" : "application/json";
      response.writeHead(200, { "content-type": contentType, "cache-control": "no-cache", "request-id": requestId });
      response.flushHeaders();
      const broken =
        fault?.type === "stall" || fault?.type === "trickle" || fault?.type === "cut" || fault?.type === "end" ? fault : undefined;
      return writeFrames(response, frames, {
        closed,
        keepAliveFrame: streams ? PING_FRAME : " ",
        chunkBytes: reply.chunkBytes,
        fault: broken,
      });
    }
  }
}

function sendPrepared(response: ServerResponse, reply: PreparedReply, request: Buffer): void {
  const streams = wantsStream(request);
  const body = streams ? reply.stream : reply.whole;
  response.writeHead(200, { "content-type": streams ? "text/event-stream" : "application/json", "content-length": body.length }).end(body);
}

function parseBody(bytes: Buffer): { body: JsonObject | undefined; jsonError: string | undefined } {
  try {
    const value = parseJson(bytes.toString("utf8"));
    return isJsonObject(value) ? { body: value, jsonError: undefined } : { body: undefined, jsonError: "it is not an object" };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return { body: undefined, jsonError: error.message };
  }
}

function modelOf(body: JsonObject | undefined): string {
  const model = body?.["model"];
  return typeof model === "string" ? model : "";
}
