import type { IncomingMessage } from "node:http";
import type { Clock } from "@factotum/agent-contract";
import type { Channel } from "@factotum/channel-contract";
import type { UnprovenConnections } from "./unproven-connections.ts";

/** Maximum concurrent requests of one account or webhook. */
const MAX_REQUESTS = 64;
/** How long a body may take to arrive; platforms send theirs in one piece. */
const BODY_TIMEOUT_MS = 3000;

/** What answers requests: a channel, or a webhook of the configuration. */
export type WebhookHandler = Pick<Channel, "handleWebhook">;

/** The limits of webhook requests. */
export interface WebhookRequestsOptions {
  readonly clock: Clock;
  readonly connections: UnprovenConnections;
}

/**
 * Passes webhook requests to their handlers. While its body arrives, a request is unproven: it has three seconds, and the oldest of an account or webhook is
 * dropped for a new one. Once the body is there the handler checks the signature, and what it accepts is never dropped.
 */
export class WebhookRequests {
  readonly #options: WebhookRequestsOptions;
  /** By account or webhook, oldest first: a flood on one address does not block others. */
  readonly #open = new Map<WebhookHandler | string, Set<IncomingMessage>>();

  constructor(options: WebhookRequestsOptions) {
    this.#options = options;
  }

  /**
   * The handler's answer; 408 for an incomplete body after the timeout, 503 while too many complete requests are processed. Requests with the same `key` share the
   * limit; by default those of the same handler.
   */
  async handle(
    handler: WebhookHandler,
    request: Request,
    incoming: IncomingMessage,
    key: WebhookHandler | string = handler,
  ): Promise<Response> {
    const open = this.#open.get(key) ?? new Set();
    if (!makePlace(open)) return refuse(503, "too many requests at once", { "retry-after": "1" });
    this.#open.set(key, open.add(incoming));
    try {
      return await this.#read(handler, request, incoming);
    } finally {
      open.delete(incoming);
      if (open.size === 0) this.#open.delete(key);
    }
  }

  async #read(handler: WebhookHandler, request: Request, incoming: IncomingMessage): Promise<Response> {
    const { clock, connections } = this.#options;
    const { socket } = incoming;
    const late = new AbortController();
    using _deadline = clock.schedule(BODY_TIMEOUT_MS, () => {
      if (!incoming.complete) late.abort(new Error("the body did not arrive in time"));
    });
    incoming.once("end", () => connections.prove(socket));
    const response = await handler.handleWebhook(request, { signal: AbortSignal.any([request.signal, late.signal]) });
    if (late.signal.aborted) return refuse(408, "the body did not arrive in time", { connection: "close" });
    if (response.status >= 400) connections.reset(socket);
    return response;
  }
}

/** True if one more is within the limit: the oldest request whose body is still arriving is dropped for it. */
function makePlace(open: Set<IncomingMessage>): boolean {
  if (open.size < MAX_REQUESTS) return true;
  const unproven = open.values().find(({ complete }) => !complete);
  if (unproven === undefined) return false;
  open.delete(unproven);
  unproven.destroy();
  return true;
}

function refuse(status: number, error: string, headers: Readonly<Record<string, string>>): Response {
  return Response.json({ error }, { status, headers });
}
