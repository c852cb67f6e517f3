import type { CallOptions, ChannelHost } from "@factotum/channel-contract";
import { readBodyCapped } from "@factotum/channel-kit";
import type { BotIdentity } from "../api/bot-identity.ts";
import { toChannelError } from "../errors.ts";
import type { AcceptEvent } from "../inbound/accept-event.ts";
import { UnreadableEvents } from "../inbound/unreadable-events.ts";
import type { Transport } from "./transport.ts";
import { hasSignature, SIGNATURE_MISSING, verifyWebhook } from "./verify-webhook.ts";
import type { WebhookSecrets } from "./verify-webhook.ts";
import { WebhookHealth } from "./webhook-health.ts";

const MAX_BODY_BYTES = 1024 * 1024;
/** The platform signs everything but its check of the address, which is short. */
const MAX_UNSIGNED_BODY_BYTES = 4096;

/** Dependencies of the webhook. */
export interface WebhookParts {
  readonly secrets: WebhookSecrets;
  readonly host: ChannelHost;
  readonly bot: BotIdentity;
  readonly accept: AcceptEvent;
}

/** Makes the transport by which the platform posts events to the gateway. */
export function createWebhookTransport(parts: WebhookParts): Transport {
  const { secrets, host, bot, accept } = parts;
  let state: "new" | "started" | "stopped" = "new";
  const health = new WebhookHealth(host);
  const unreadable = new UnreadableEvents(host);

  const receive = async (payload: Readonly<Record<string, unknown>>, options: CallOptions): Promise<Response> => {
    try {
      const outcome = await accept(payload, options);
      health.setTrouble(undefined);
      if (outcome.type === "other-account") return refuse(403, "this event belongs to another app");
      if (outcome.type === "ignored") host.logger.info("feishu event ignored", { reason: outcome.reason });
      if (outcome.type === "unreadable") unreadable.record(outcome.reason);
      return Response.json({});
    } catch (error) {
      // Not stored: the platform gets an error and sends it again.
      health.setTrouble("an event could not be stored; Feishu will send it again");
      host.logger.error("feishu event not stored", { error: error instanceof Error ? error.message : "unknown" });
      return refuse(503, "not stored, send it again");
    }
  };

  const handle = async (request: Request, options: CallOptions): Promise<Response> => {
    if (request.method !== "POST") return refuse(405, "POST only");
    const maxBytes = hasSignature(request.headers) ? MAX_BODY_BYTES : MAX_UNSIGNED_BODY_BYTES;
    const body = await readBodyCapped(request, { maxBytes, signal: options.signal }).catch((error: unknown) => {
      host.logger.info("feishu webhook broke off", { error: error instanceof Error ? error.message : "unknown" });
      return undefined;
    });
    if (body === undefined) return refuse(400, "the body broke off");
    if (body.type === "too-large") return tooLarge(request.headers);
    const verified = verifyWebhook(body.bytes, request.headers, { ...secrets, nowMs: host.clock.now() });
    if (verified.type === "refused") {
      health.recordRefused(verified);
      return refuse(verified.status, verified.reason);
    }
    health.recordVerified();
    if (verified.type === "challenge") {
      health.setTrouble(undefined);
      return Response.json({ challenge: verified.challenge });
    }
    return receive(verified.payload, options);
  };

  /** // Only an event is this large, so the missing signature is what must be repaired. */
  const tooLarge = (headers: Headers): Response => {
    if (hasSignature(headers)) return refuse(413, "the body is too large");
    health.recordRefused(SIGNATURE_MISSING);
    return refuse(SIGNATURE_MISSING.status, SIGNATURE_MISSING.reason);
  };

  return {
    async start(options) {
      if (state === "stopped") throw toChannelError(new Error("a stopped channel is not started again; make a new one"));
      if (state === "started") return;
      // Wrong credentials are reported at once. An unreachable platform is no reason to refuse its events.
      await bot.get(options).catch((error: unknown) => {
        const failure = toChannelError(error);
        if (failure.code !== "unreachable" || options.signal.aborted) throw failure;
        health.setTrouble(failure.message);
        host.logger.warn("feishu cannot be reached", { error: failure.message });
      });
      state = "started";
    },
    async handleWebhook(request, options) {
      if (state === "stopped") return refuse(503, "stopped, send it again");
      return handle(request, options);
    },
    health: () => (state === "stopped" ? { state: "stopped" } : unreadable.addTo(health.read())),
    stop() {
      state = "stopped";
      return Promise.resolve();
    },
  };
}

function refuse(status: number, reason: string): Response {
  return Response.json({ error: reason }, { status });
}
