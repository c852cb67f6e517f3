import type { CallOptions, ChannelHealth, ChannelHost } from "@factotum/channel-contract";
import { readBodyCapped } from "@factotum/channel-kit";
import type { SampleChatApi } from "../api/sample-chat-api.ts";
import { toChannelError } from "../errors.ts";
import { readEvent } from "../inbound/event-schema.ts";
import { parseMessage } from "../inbound/parse-message.ts";
import { refusalOf } from "./verify-webhook.ts";

const MAX_BODY_BYTES = 256 * 1024;

/** The receiving half of a channel. */
export interface Webhook {
  start(options: CallOptions): Promise<void>;
  handle(request: Request, options: CallOptions): Promise<Response>;
  health(): ChannelHealth;
  stop(): void;
}

/** Makes the transport by which the platform posts events to the gateway. */
export function createWebhook(api: SampleChatApi, host: ChannelHost, config: { readonly signingSecret: string }): Webhook {
  let botId: string | undefined;
  let stopped = false;
  let evidenceAtMs: number | undefined;
  let trouble: string | undefined;

  const receive = async (bytes: Uint8Array, bot: string): Promise<Response> => {
    const event = readEvent(parseJson(bytes));
    if (event.type === "malformed") return refuse(400, "this is no event");
    if (event.botId !== bot) return refuse(403, "this event belongs to another account");
    if (event.type === "other") return Response.json({});
    const message = parseMessage(event.event, { accountId: host.accountId, botId: bot });
    if (message === undefined) return Response.json({});
    try {
      await host.receive(message);
    } catch (error) {
      // Not stored: the platform gets an error and posts it again.
      trouble = "an event could not be stored; the platform will post it again";
      host.logger.error("sample-chat event not stored", { error: error instanceof Error ? error.message : "unknown" });
      return refuse(503, "not stored, post it again");
    }
    trouble = undefined;
    return Response.json({});
  };

  return {
    async start(options) {
      if (stopped) throw toChannelError(new Error("a stopped channel is not started again; make a new one"));
      options.signal.throwIfAborted();
      botId ??= await api.me(options).catch((error: unknown) => {
        throw toChannelError(error);
      });
    },
    async handle(request, { signal }) {
      if (stopped || botId === undefined) return refuse(503, "not started, post it again");
      if (request.method !== "POST") return refuse(405, "POST only");
      const body = await readBodyCapped(request, { maxBytes: MAX_BODY_BYTES, signal }).catch((error: unknown) => {
        host.logger.info("sample-chat webhook broke off", { error: error instanceof Error ? error.message : "unknown" });
        return undefined;
      });
      if (body === undefined) return refuse(400, "the body broke off");
      if (body.type === "too-large") return refuse(413, "the body is too large");
      const refusal = refusalOf(body.bytes, request.headers, { signingSecret: config.signingSecret, nowMs: host.clock.now() });
      if (refusal !== undefined) {
        trouble = `a request was refused: ${refusal}`;
        host.logger.warn("sample-chat webhook refused", { reason: refusal });
        return refuse(401, refusal);
      }
      evidenceAtMs = host.clock.now();
      return receive(body.bytes, botId);
    },
    health() {
      if (stopped) return { state: "stopped" };
      if (trouble !== undefined) return { state: "degraded", detail: trouble, ...(evidenceAtMs === undefined ? {} : { evidenceAtMs }) };
      if (evidenceAtMs === undefined) return { state: "starting", detail: "no verified request yet; check the address at the platform" };
      return { state: "connected", evidenceAtMs };
    },
    stop() {
      stopped = true;
    },
  };
}

function refuse(status: number, reason: string): Response {
  return Response.json({ error: reason }, { status });
}

/** `undefined` for invalid JSON. */
function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
