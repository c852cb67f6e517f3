import type { CallOptions, ChannelHost } from "@factotum/channel-contract";
import { constantTimeEqual, createWebhookReceiver, parseJsonObject } from "@factotum/channel-kit";
import type { RefusedRequest, VerifiedRequest } from "@factotum/channel-kit";
import type { TelegramBot } from "../api/bot-identity.ts";
import type { TelegramApi } from "../api/telegram-api.ts";
import { toChannelError } from "../errors.ts";
import { albumOf, ALLOWED_UPDATES } from "../inbound/accept-update.ts";
import type { AcceptUpdates } from "../inbound/accept-update.ts";
import { createStoredAlbums } from "./stored-albums.ts";
import type { Transport } from "./transport.ts";

const MAX_BODY_BYTES = 1024 * 1024;
const SECRET = "x-telegram-bot-api-secret-token";
const SECRET_MISSING: RefusedRequest = { status: 401, reason: "the secret token is missing", signed: false };

/** Dependencies of the webhook. */
export interface WebhookParts {
  readonly secretToken: string;
  readonly api: TelegramApi;
  readonly host: ChannelHost;
  readonly bot: TelegramBot;
  readonly accept: AcceptUpdates;
}

/** Creates the transport by which the platform posts updates, and registers its address. */
export function createWebhook({ secretToken, api, host, bot, accept }: WebhookParts): Transport {
  const albums = createStoredAlbums(host, accept);
  const register = async (options: CallOptions): Promise<void> => {
    await bot.get(options);
    if (host.webhookUrl === undefined) return;
    const parameters = { url: host.webhookUrl, secret_token: secretToken, allowed_updates: ALLOWED_UPDATES, drop_pending_updates: false };
    await api.call("setWebhook", parameters, options);
  };
  const receiver = createWebhookReceiver<unknown>({
    host,
    hint:
      host.webhookUrl === undefined
        ? "set gateway.publicUrl, so that Telegram learns the address"
        : "check that gateway.publicUrl leads here, by HTTPS on port 443, 80, 88 or 8443",
    maxBytes: MAX_BODY_BYTES,
    hasSignature: (headers) => headers.has(SECRET),
    unsigned: { maxBytes: 0, refusal: SECRET_MISSING },
    verify: (body, headers) => verify(body, headers, secretToken),
    accept: async (update, options) => (albumOf(update) === undefined ? accept([update], {}, options) : albums.keep(update)),
    check: (options) =>
      register(options).catch((error: unknown) => {
        throw toChannelError(error);
      }),
    ignoredLevel: "debug",
  });
  let isStarted = false;
  return {
    async start(options) {
      await receiver.start(options);
      await albums.start();
      isStarted = true;
    },
    handleWebhook: (request, options) => receiver.handleWebhook(request, options),
    health: () => {
      const health = albums.addTo(receiver.health());
      // Nothing will come by itself; who has registered the address by hand proves it with the first message.
      return isStarted && health.state === "starting" && host.webhookUrl === undefined ? { ...health, state: "degraded" } : health;
    },
    async stop(options) {
      await receiver.stop();
      await albums.stop(options);
    },
  };
}

/** Compares the secret in constant time, and parses only then. The platform signs neither the body nor the time. */
function verify(body: Uint8Array, headers: Headers, secretToken: string): VerifiedRequest<unknown> {
  if (!constantTimeEqual(headers.get(SECRET) ?? "", secretToken))
    return {
      type: "refused",
      status: 401,
      reason: "the secret token does not match; another program may have registered this address",
      signed: false,
    };
  const update = parseJsonObject(body);
  if (update !== undefined) return { type: "event", event: update };
  return { type: "refused", status: 400, reason: "the body is not an update", signed: true };
}
