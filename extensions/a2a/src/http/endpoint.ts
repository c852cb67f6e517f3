import { A2A_VERSION_HEADER, AgentCard } from "@a2a-js/sdk";
import { A2A_ERROR_CODE } from "@a2a-js/sdk/errors";
import { JsonRpcTransportHandler, ServerCallContext, validateVersion } from "@a2a-js/sdk/server";
import { ChannelError } from "@factotum/channel-contract";
import type { CallOptions, ChannelHealth, ChannelHost } from "@factotum/channel-contract";
import { createWebhookHealth, parseJsonObject, readBodyCapped, reasonOf } from "@factotum/channel-kit";
import type { WebhookHealth } from "@factotum/channel-kit";
import { createAgentCard, endpointUrl } from "./agent-card.ts";
import { PeerLimits } from "./peer-limits.ts";
import { PeerRequests } from "./peer-requests.ts";
import type { PeerRequestsOptions } from "./peer-requests.ts";
import { busy, SERVER_ERROR, toRpcFailure } from "./rpc-errors.ts";
import type { RpcFailure } from "./rpc-errors.ts";
import { streamBody } from "./stream-body.ts";
import type { A2aConfig } from "../config.ts";
import { authenticate } from "../peers.ts";
import type { TaskFiles } from "../tasks/task-files.ts";
import type { TaskBook } from "../tasks/task-book.ts";

/** The files of a message in Base64, and its text. */
const MAX_BODY_BYTES = 4 * 1024 * 1024;
const HINT = "give the peers the address of the agent card, and their tokens; allowBots and allowFrom must admit them";

/** Answers the requests of an account: the card to everyone, and the rest to its peers. */
export interface Endpoint {
  start(options: CallOptions): Promise<void>;
  handle(request: Request, options: CallOptions): Promise<Response>;
  health(): ChannelHealth;
  stop(): void;
}

/** Creates the endpoint of an account. */
export function createEndpoint(
  config: A2aConfig,
  { book, files, host }: { readonly book: TaskBook; readonly files: TaskFiles; readonly host: ChannelHost },
): Endpoint {
  const health = createWebhookHealth(host, { hint: HINT });
  const limits = new PeerLimits(host.clock);
  const stopping = new AbortController();
  let state: "new" | "started" | "stopped" = "new";

  const watched = reportingTo(health, host);

  const call = async (request: Request, peer: string, { signal }: CallOptions): Promise<Response> => {
    if (!limits.take(peer, "request")) return failure(429, SERVER_ERROR, "too many requests within a minute", { "retry-after": "60" });
    const body = await readBodyCapped(request, { maxBytes: MAX_BODY_BYTES, signal }).catch((error: unknown) => {
      host.logger.info("a request of a peer broke off", { error: reasonOf(error) });
      return undefined;
    });
    if (body === undefined) return failure(400, A2A_ERROR_CODE.INVALID_REQUEST, "the body broke off");
    if (body.type === "too-large") return failure(413, A2A_ERROR_CODE.INVALID_REQUEST, `the body has more than ${MAX_BODY_BYTES} bytes`);
    const payload = parseJsonObject(body.bytes);
    if (payload === undefined) return failure(200, A2A_ERROR_CODE.PARSE_ERROR, "the body is no JSON object");
    const url = endpointUrl(request, host.webhookUrl);
    const requestedVersion = request.headers.get(A2A_VERSION_HEADER) ?? "0.3";
    const card = createAgentCard(config, url);
    const context = new ServerCallContext({ user: { isAuthenticated: true, userName: peer }, requestedVersion });
    const id = requestId(payload);
    const failed = (error: unknown): RpcFailure => toRpcFailure(error, id, host.logger);
    const work = async (gone: AbortSignal): Promise<RpcAnswer> => {
      try {
        validateVersion(requestedVersion, card, "JSONRPC");
        const requests = new PeerRequests({ peer, config, url, book, files, limits, host: watched, signal: gone });
        const answer = await new JsonRpcTransportHandler(requests).handle(payload, context);
        const foreign = foreignError(answer);
        return foreign === undefined ? answer : failed(new Error(foreign));
      } catch (error) {
        return failed(error);
      }
    };
    return streamBody(work, { clock: host.clock, stopping: stopping.signal, failed });
  };

  return {
    start({ signal }) {
      if (state === "stopped") {
        const message = "a stopped channel is not started again; make a new one";
        return Promise.reject(new ChannelError("rejected", message, { retry: { type: "never" } }));
      }
      if (signal.aborted) return Promise.reject(signal.reason as Error);
      state = "started";
      return Promise.resolve();
    },
    async handle(request, options) {
      if (state === "stopped") return failure(503, SERVER_ERROR, "stopped, send it again", { "retry-after": "5" });
      if (request.method === "GET" || request.method === "HEAD") {
        const card = AgentCard.toJSON(createAgentCard(config, endpointUrl(request, host.webhookUrl)));
        return Response.json(card, { headers: { "cache-control": "no-store", "x-content-type-options": "nosniff" } });
      }
      if (request.method !== "POST")
        return failure(405, A2A_ERROR_CODE.INVALID_REQUEST, "GET for the card, POST for requests", { allow: "GET, POST" });
      const peer = authenticate(request.headers, config);
      if (peer === undefined) {
        await request.body?.cancel();
        const reason = request.headers.has("authorization") ? "the token belongs to no peer" : "the token is missing";
        health.recordRefused({ status: 401, reason, signed: false });
        return failure(401, SERVER_ERROR, reason, { "www-authenticate": "Bearer" });
      }
      health.recordVerified();
      return call(request, peer, options);
    },
    health: () => (state === "stopped" ? { state: "stopped" } : health.read()),
    stop() {
      state = "stopped";
      stopping.abort(new Error("the channel was stopped"));
    },
  };
}

/** A gateway that stores nothing now is the channel's trouble; what peers do wrong is theirs. */
function reportingTo(health: WebhookHealth, host: ChannelHost): PeerRequestsOptions["host"] {
  return {
    accountId: host.accountId,
    clock: host.clock,
    admits: (message) => host.admits(message),
    receive: async (message, progress) => {
      try {
        const outcome = await host.receive(message, progress);
        health.setTrouble(undefined);
        return outcome;
      } catch (error) {
        health.setTrouble("a message could not be stored; the peer has to send it again");
        host.logger.error("message not stored", { error: reasonOf(error) });
        throw busy("the message could not be stored: send it again");
      }
    },
  };
}

type RpcAnswer = Awaited<ReturnType<JsonRpcTransportHandler["handle"]>> | RpcFailure;

/** What the library says of a failure that is no error of the protocol: its words are those of this machine. */
function foreignError(answer: RpcAnswer): string | undefined {
  const { error } = answer as Partial<RpcFailure>;
  return error?.code === A2A_ERROR_CODE.INTERNAL_ERROR && error.data === undefined ? error.message : undefined;
}

function requestId({ id }: Record<string, unknown>): string | number | null {
  return typeof id === "string" || typeof id === "number" ? id : null;
}

function failure(status: number, code: number, message: string, headers: Readonly<Record<string, string>> = {}): Response {
  return Response.json({ jsonrpc: "2.0", id: null, error: { code, message } }, { status, headers });
}
