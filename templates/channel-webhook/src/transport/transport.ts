import type { CallOptions, ChannelHealth, ChannelHost } from "@factotum/channel-contract";
import { createBotIdentity, createWebhookReceiver } from "@factotum/channel-kit";
import type { SampleChatApi } from "../api/sample-chat-api.ts";
import type { SampleChatConfig } from "../config.ts";
import { withChannelErrors } from "../errors.ts";
import { acceptEvent } from "../inbound/accept-event.ts";
import { hasSignature, SIGNATURE_MISSING, verifyWebhook } from "./verify-webhook.ts";

const MAX_BODY_BYTES = 256 * 1024;

/** The receiving half of a channel; the members are those of `Channel`. */
export interface Transport {
  start(options: CallOptions): Promise<void>;
  handleWebhook(request: Request, options: CallOptions): Promise<Response>;
  health(): ChannelHealth;
  stop(options: CallOptions): Promise<void>;
}

/** Dependencies of the transport. */
export interface TransportParts {
  readonly api: SampleChatApi;
  readonly host: ChannelHost;
  readonly config: SampleChatConfig;
}

/** Makes the transport by which the platform posts events to the gateway, and posts them again until they are acknowledged. */
export function createTransport({ api, host, config }: TransportParts): Transport {
  const ending = new AbortController();
  const bot = createBotIdentity({
    ask: (options) => withChannelErrors(api.me(options)),
    consequence: "messages are refused until the platform names the bot",
    host,
    signal: ending.signal,
  });
  const receiver = createWebhookReceiver({
    host,
    hint: "check the address at the platform",
    maxBytes: MAX_BODY_BYTES,
    hasSignature,
    unsigned: { maxBytes: 0, refusal: SIGNATURE_MISSING },
    verify: (body, headers) => verifyWebhook(body, headers, { signingSecret: config.signingSecret, nowMs: host.clock.now() }),
    accept: async (event, options) => acceptEvent(event, { host, botId: await bot.getForEvent(options) }),
    check: (options) => bot.get(options),
    ignoredLevel: "debug",
  });
  return {
    start: (options) => receiver.start(options),
    handleWebhook: (request, options) => receiver.handleWebhook(request, options),
    health: () => (receiver.health().state === "stopped" ? receiver.health() : bot.addTo(receiver.health())),
    async stop() {
      ending.abort(new Error("the channel was stopped"));
      await receiver.stop();
    },
  };
}
