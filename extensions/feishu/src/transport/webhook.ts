import type { ChannelHost } from "@factotum/channel-contract";
import { createWebhookReceiver } from "@factotum/channel-kit";
import type { FeishuBot } from "../api/bot-identity.ts";
import { toChannelError } from "../errors.ts";
import type { AcceptEvent } from "../inbound/accept-event.ts";
import type { Transport } from "./transport.ts";
import { hasSignature, SIGNATURE_MISSING, verifyWebhook } from "./verify-webhook.ts";
import type { WebhookSecrets } from "./verify-webhook.ts";

const MAX_BODY_BYTES = 1024 * 1024;
/** The platform signs everything but its check of the address, which is short; only an event is larger. */
const MAX_UNSIGNED_BODY_BYTES = 4096;

/** Dependencies of the webhook. */
export interface WebhookParts {
  readonly secrets: WebhookSecrets;
  readonly host: ChannelHost;
  readonly bot: FeishuBot;
  readonly accept: AcceptEvent;
}

/** Makes the transport by which the platform posts events to the gateway. */
export function createWebhookTransport({ secrets, host, bot, accept }: WebhookParts): Transport {
  return createWebhookReceiver({
    host,
    accept,
    hint: "check the request address in the console",
    maxBytes: MAX_BODY_BYTES,
    hasSignature,
    unsigned: { maxBytes: MAX_UNSIGNED_BODY_BYTES, refusal: SIGNATURE_MISSING },
    verify: (body, headers) => verifyWebhook(body, headers, { ...secrets, nowMs: host.clock.now() }),
    check: (options) =>
      bot.get(options).catch((error: unknown) => {
        throw toChannelError(error);
      }),
    ignoredLevel: "info",
  });
}
