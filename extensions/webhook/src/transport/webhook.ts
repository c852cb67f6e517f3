import type { CallOptions, ChannelHost } from "@factotum/channel-contract";
import { createWebhookReceiver, parseJson } from "@factotum/channel-kit";
import type { WebhookReceiver } from "@factotum/channel-kit";
import type { ServiceApi } from "../api/service-api.ts";
import type { WebhookConfig } from "../config.ts";
import { withChannelErrors } from "../errors.ts";
import { acceptEvent } from "../inbound/accept-event.ts";
import { ID_HEADER, SIGNATURE_HEADER, signatureFault, TIMESTAMP_HEADER } from "../signature.ts";

const MAX_BODY_BYTES = 1024 * 1024;

/** Creates the webhook to which the service posts events, and posts them again until they are acknowledged. */
export function createWebhook(
  { secret }: WebhookConfig,
  { api, host }: { readonly api: ServiceApi; readonly host: ChannelHost },
): WebhookReceiver {
  return createWebhookReceiver({
    host,
    hint: "let the service post its messages to this account's address",
    maxBytes: MAX_BODY_BYTES,
    hasSignature: (headers) => [ID_HEADER, TIMESTAMP_HEADER, SIGNATURE_HEADER].every((name) => (headers.get(name) ?? "") !== ""),
    unsigned: { maxBytes: 0, refusal: { status: 401, reason: "the signature is missing", signed: false } },
    verify(body, headers) {
      const reason = signatureFault(body, headers, { secret, nowMs: host.clock.now() });
      if (reason !== undefined) return { type: "refused", status: 401, reason, signed: false };
      const signedAtMs = Number(headers.get(TIMESTAMP_HEADER)) * 1_000;
      return { type: "event", event: { payload: parseJson(body), eventId: headers.get(ID_HEADER) ?? "", signedAtMs } };
    },
    accept: (event) => acceptEvent(event, host),
    check: (options) => ping(api, host, options),
    ignoredLevel: "debug",
  });
}

/** Asks the service whether it takes this account's signature; rejects with a ChannelError. */
export async function ping(api: ServiceApi, host: Pick<ChannelHost, "random">, { signal }: CallOptions): Promise<void> {
  await withChannelErrors(api.post({ type: "ping" }, { id: host.random.uuid(), signal }));
}
