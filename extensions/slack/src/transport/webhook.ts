import type { ChannelHost } from "@factotum/channel-contract";
import { createWebhookReceiver } from "@factotum/channel-kit";
import type { SlackBot } from "../api/bot-identity.ts";
import { toChannelError } from "../errors.ts";
import type { AcceptDelivery } from "../inbound/accept-event.ts";
import type { Transport } from "./transport.ts";
import { hasSignature, SIGNATURE_MISSING, verifyWebhook } from "./verify-webhook.ts";

const MAX_BODY_BYTES = 1024 * 1024;

/** Dependencies of the webhook. */
export interface WebhookParts {
  readonly signingSecret: string;
  readonly host: ChannelHost;
  readonly bot: SlackBot;
  readonly accept: AcceptDelivery;
}

/** Makes the transport by which the platform posts events, commands and interactions to the gateway. */
export function createWebhookTransport({ signingSecret, host, bot, accept }: WebhookParts): Transport {
  return createWebhookReceiver({
    host,
    accept,
    hint: "check the Request URL in the app settings",
    maxBytes: MAX_BODY_BYTES,
    hasSignature,
    unsigned: { maxBytes: 0, refusal: SIGNATURE_MISSING },
    verify: (body, headers) => verifyWebhook(body, headers, { signingSecret, nowMs: host.clock.now() }),
    check: (options) =>
      bot.get(options).catch((error: unknown) => {
        throw toChannelError(error);
      }),
    ignoredLevel: "debug",
    refusalHeaders: { "x-slack-no-retry": "1" },
  });
}
