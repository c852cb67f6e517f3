import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { isJsonObject, type JsonObject, parseJson } from "../json.ts";
import { type Answer, writeAnswer } from "./answer.ts";
import { Arrivals } from "./arrivals.ts";
import type { CapturedRequest, RequestOutcome } from "./captured-request.ts";
import { forwardRequest } from "./forward-request.ts";
import { createGate, type Gate } from "./gate.ts";
import { readBody, startLoopbackServer } from "./loopback-server.ts";
import type { PreparedReply } from "./prepared-reply.ts";
import type { RuleViolation } from "./rule-violation.ts";
import { released } from "./write-frames.ts";

/** A received request, before it is interpreted. */
export interface Arrival {
  readonly method: string;
  readonly path: string;
  /** With the key: for the checks alone. */
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
  /** Of a body over the limit: one more than the limit. */
  readonly byteLength: number;
  readonly body: JsonObject | undefined;
  /** The error of `JSON.parse`; undefined if the body is a JSON object. */
  readonly jsonError: string | undefined;
  readonly nowMs: number;
}

/** The format-specific part of a server. */
export interface EngineFormat<Reply, Usage> {
  readonly maxRequestBytes: number;
  inspect(arrival: Arrival): { readonly violations: readonly RuleViolation[]; readonly usage: Usage | undefined };
  refuse(violation: RuleViolation, request: CapturedRequest<Usage>): Answer;
  answer(reply: Reply, request: CapturedRequest<Usage>): Answer;
  /** A 500 with this message. */
  fail(message: string, request: CapturedRequest<Usage>): Answer;
  prepare(text: string): PreparedReply;
  /** Whether a request asks for a stream; decided without parsing, for instant replies. */
  wantsStream(path: string, bytes: Buffer): boolean;
}

/** Makes a reply to a request that broke no rule. */
export type Responder<Reply, Usage> = (request: CapturedRequest<Usage>) => Reply | Promise<Reply>;

/** What a test can do with a running server. */
export interface ServerControls<Reply, Usage = unknown> extends AsyncDisposable {
  /** The server's root, without a version and without a slash at the end. */
  readonly baseUrl: string;
  /** Every request so far, refused ones included; none while instant replies are on. */
  readonly requests: readonly CapturedRequest<Usage>[];
  /** The rules that requests have broken so far, in order; most tests expect none. */
  readonly violations: readonly RuleViolation[];
  /** Appends replies; each answers one request that broke no rule, in order. */
  script(replies: readonly Reply[]): void;
  /** Answers requests without a scripted reply; replaces an earlier responder. */
  respond(responder: Responder<Reply, Usage>): void;
  /** From now on requests are recorded and checked but not answered until the gate is opened. */
  hold(): Gate;
  /** The oldest request that this has not returned yet, or the next to come. */
  nextRequest(options?: { signal?: AbortSignal }): Promise<CapturedRequest<Usage>>;
  /** The same for requests whose client closed the connection before the end. */
  nextAborted(options?: { signal?: AbortSignal }): Promise<CapturedRequest<Usage>>;
  /** For benchmarks: from now on requests are answered at once, without checks, records and script. A function selects by the body's bytes. */
  instantReply(reply: string | ((body: Buffer) => PreparedReply)): void;
  /** Closes idle connections, so that an idle client holds none. A request that is being sent at that moment fails. */
  closeIdleConnections(): void;
  /** Destroys every connection. */
  close(): Promise<void>;
}

export interface EngineOptions {
  /** Milliseconds since the epoch; default `Date.now`. */
  readonly now?: (() => number) | undefined;
  /** Root of a server that answers valid requests without a script or responder. */
  readonly upstream?: string | undefined;
}

/** Starts a server on 127.0.0.1. */
export async function startEngine<Reply, Usage>(
  format: EngineFormat<Reply, Usage>,
  options: EngineOptions,
): Promise<ServerControls<Reply, Usage>> {
  const engine = new Engine(format, options);
  const { url, close, closeIdleConnections } = await startLoopbackServer((request, response) => void engine.handle(request, response));
  return {
    baseUrl: url,
    requests: engine.requests,
    get violations() {
      return engine.requests.flatMap(({ violations }) => violations);
    },
    script: (replies) => void engine.replies.push(...replies),
    respond: (responder) => void (engine.responder = responder),
    hold: () => (engine.held = createGate()),
    nextRequest: (next) => engine.arrived.next(next),
    nextAborted: (next) => engine.aborted.next(next),
    instantReply: (reply) => {
      const prepared = typeof reply === "string" ? format.prepare(reply) : undefined;
      engine.instant = typeof reply === "string" ? () => prepared ?? format.prepare(reply) : reply;
    },
    closeIdleConnections,
    close,
    [Symbol.asyncDispose]: close,
  };
}

class Engine<Reply, Usage> {
  readonly requests: CapturedRequest<Usage>[] = [];
  readonly arrived = new Arrivals<CapturedRequest<Usage>>();
  readonly aborted = new Arrivals<CapturedRequest<Usage>>();
  readonly replies: Reply[] = [];
  responder: Responder<Reply, Usage> | undefined;
  held: Gate | undefined;
  instant: ((body: Buffer) => PreparedReply) | undefined;
  readonly #format: EngineFormat<Reply, Usage>;
  readonly #options: EngineOptions;

  constructor(format: EngineFormat<Reply, Usage>, options: EngineOptions) {
    this.#format = format;
    this.#options = options;
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const maxBytes = this.#format.maxRequestBytes;
    const body = await readBody(request, { maxBytes });
    if (body.type === "aborted") return;
    const bytes = body.type === "complete" ? body.bytes : Buffer.alloc(0);
    if (this.instant !== undefined) return this.#sendPrepared(request.url ?? "", response, this.instant(bytes), bytes);

    const arrival: Arrival = {
      method: request.method ?? "",
      path: request.url ?? "",
      headers: request.headers,
      bytes,
      byteLength: body.type === "too-large" ? maxBytes + 1 : bytes.length,
      ...parseBody(bytes),
      nowMs: (this.#options.now ?? Date.now)(),
    };
    const outcome = Promise.withResolvers<RequestOutcome>();
    const record = this.#record(arrival, outcome.promise);
    const closed = new AbortController();
    response.on("close", () => closed.abort());
    this.requests.push(record);
    this.arrived.push(record);
    outcome.resolve(await this.#answer(arrival, record, response, closed.signal));
    if ((await outcome.promise) === "aborted") this.aborted.push(record);
  }

  #record(arrival: Arrival, ended: Promise<RequestOutcome>): CapturedRequest<Usage> {
    const { "x-api-key": _key, "x-goog-api-key": _googleKey, authorization: _authorization, ...headers } = arrival.headers;
    const { violations, usage } = this.#format.inspect(arrival);
    const { method, bytes, body, nowMs } = arrival;
    const path = arrival.path.replace(/([?&]key=)[^&]*/, "$1…");
    return { index: this.requests.length, method, path, headers, bytes, body, receivedAtMs: nowMs, violations, usage, ended };
  }

  async #answer(arrival: Arrival, record: CapturedRequest<Usage>, response: ServerResponse, closed: AbortSignal): Promise<RequestOutcome> {
    const [violation] = record.violations;
    if (this.held !== undefined) await released(this.held, closed);
    if (closed.aborted) return "aborted";
    if (violation !== undefined) {
      return (await writeAnswer(response, this.#format.refuse(violation, record), closed)) ? "refused" : "aborted";
    }
    const scripted = this.replies.shift();
    if (scripted === undefined && this.responder === undefined && this.#options.upstream !== undefined) {
      return (await forwardRequest(this.#options.upstream, arrival, response, closed)) ? "answered" : "aborted";
    }
    const reply = scripted === undefined ? await this.#askResponder(record) : { type: "reply" as const, reply: scripted };
    const rendered = reply.type === "reply" ? this.#render(reply.reply, record) : reply;
    if (rendered.type === "answer") return (await writeAnswer(response, rendered.answer, closed)) ? "answered" : "aborted";
    await writeAnswer(response, this.#format.fail(rendered.message, record), closed);
    return "unscripted";
  }

  /** An unwritable reply is reported to the requester: the test that scripted it should fail, not wait. */
  #render(reply: Reply, record: CapturedRequest<Usage>): { type: "answer"; answer: Answer } | { type: "none"; message: string } {
    try {
      return { type: "answer", answer: this.#format.answer(reply, record) };
    } catch (error) {
      const reason = error instanceof Error ? error.message : "no reason given";
      return { type: "none", message: `The reply to request ${record.index} cannot be written: ${reason}` };
    }
  }

  async #askResponder(record: CapturedRequest<Usage>): Promise<{ type: "reply"; reply: Reply } | { type: "none"; message: string }> {
    if (this.responder === undefined) {
      return { type: "none", message: `Request ${record.index} has no scripted reply: call script() or respond() first.` };
    }
    try {
      return { type: "reply", reply: await this.responder(record) };
    } catch (error) {
      const reason = error instanceof Error ? error.message : "no reason given";
      return { type: "none", message: `The responder failed on request ${record.index}: ${reason}` };
    }
  }

  #sendPrepared(path: string, response: ServerResponse, reply: PreparedReply, request: Buffer): void {
    const streams = this.#format.wantsStream(path, request);
    const body = streams ? reply.stream : reply.whole;
    const contentType = streams ? "text/event-stream" : "application/json";
    response.writeHead(200, { "content-type": contentType, "content-length": body.length }).end(body);
  }
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
