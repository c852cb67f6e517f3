import type { CallOptions, ChannelHost } from "@factotum/channel-contract";
import { readBodyCapped } from "@factotum/channel-kit";
import type { BotIdentity } from "../api/bot-identity.ts";
import { toChannelError } from "../errors.ts";
import type { AcceptDelivery, Delivery } from "../inbound/accept-event.ts";
import { UnreadableEvents } from "../inbound/unreadable-events.ts";
import type { Transport } from "./transport.ts";
import { hasSignature, SIGNATURE_MISSING, verifyWebhook } from "./verify-webhook.ts";
import { WebhookHealth } from "./webhook-health.ts";

const MAX_BODY_BYTES = 1024 * 1024;

/** Dependencies of the webhook. */
export interface WebhookParts {
  readonly signingSecret: string;
  readonly host: ChannelHost;
  readonly bot: BotIdentity;
  readonly accept: AcceptDelivery;
}

/** Makes the transport by which the platform posts events, commands and interactions to the gateway. */
export function createWebhookTransport({ signingSecret, host, bot, accept }: WebhookParts): Transport {
  let state: "new" | "started" | "stopped" = "new";
  const health = new WebhookHealth(host);
  const unreadable = new UnreadableEvents(host);

  const receive = async (delivery: Delivery, options: CallOptions): Promise<Response> => {
    try {
      const outcome = await accept(delivery, options);
      health.setTrouble(undefined);
      if (outcome.type === "other-account") return refuse(403, "this event belongs to another workspace");
      if (outcome.type === "ignored") host.logger.debug("slack event ignored", { reason: outcome.reason });
      if (outcome.type === "unreadable") unreadable.record(outcome.reason);
      return new Response(null, { status: 200 });
    } catch (error) {
      // Not stored: the platform gets an error and sends an event again; a command or a press shows its sender an error.
      health.setTrouble("an event could not be stored; Slack will send it again");
      host.logger.error("slack event not stored", { error: error instanceof Error ? error.message : "unknown" });
      return refuse(503, "not stored, send it again");
    }
  };

  const handle = async (request: Request, options: CallOptions): Promise<Response> => {
    if (request.method !== "POST") return refuse(405, "POST only");
    if (!hasSignature(request.headers)) {
      health.recordRefused(SIGNATURE_MISSING);
      await request.body?.cancel();
      return refuse(SIGNATURE_MISSING.status, SIGNATURE_MISSING.reason);
    }
    const body = await readBodyCapped(request, { maxBytes: MAX_BODY_BYTES, signal: options.signal }).catch((error: unknown) => {
      host.logger.info("slack webhook broke off", { error: error instanceof Error ? error.message : "unknown" });
      return undefined;
    });
    if (body === undefined) return refuse(400, "the body broke off");
    if (body.type === "too-large") return refuse(413, "the body is too large");
    const verified = verifyWebhook(body.bytes, request.headers, { signingSecret, nowMs: host.clock.now() });
    if (verified.type === "refused") {
      health.recordRefused(verified);
      return refuse(verified.status, verified.reason);
    }
    health.recordVerified();
    if (verified.type === "delivery") return receive(verified.delivery, options);
    health.setTrouble(undefined);
    return verified.type === "challenge" ? Response.json({ challenge: verified.challenge }) : new Response(null, { status: 200 });
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
        host.logger.warn("slack cannot be reached", { error: failure.message });
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
  // A request that is refused for good would be refused again.
  return Response.json({ error: reason }, { status, headers: status < 500 ? { "x-slack-no-retry": "1" } : {} });
}
