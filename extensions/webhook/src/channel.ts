import { ChannelError } from "@factotum/channel-contract";
import type { Channel, ChannelHost, Origin } from "@factotum/channel-contract";
import { createServiceApi } from "./api/service-api.ts";
import { WEBHOOK_CAPABILITIES } from "./capabilities.ts";
import type { WebhookConfig } from "./config.ts";
import { fetchAttachment } from "./fetch-attachment.ts";
import { createSender } from "./outbound/sender.ts";
import { createWebhook, ping } from "./transport/webhook.ts";

/** Creates the channel of one account. Sends no request before `start` or the first send. */
export function createWebhookChannel(config: WebhookConfig, host: ChannelHost): Channel {
  const api = createServiceApi(config, host);
  const sender = createSender(api, host);
  const webhook = createWebhook(config, { api, host });

  return {
    capabilities: WEBHOOK_CAPABILITIES,
    start: (options) => webhook.start(options),
    handleWebhook: (request, options) => webhook.handleWebhook(request, options),
    send: (target, outbound, options) => sender.send(target, outbound, options),
    act: ({ name }) => Promise.reject(new ChannelError("rejected", `this channel does not do ${name}`, { retry: { type: "never" } })),
    fetchAttachment: (ref, options) => fetchAttachment(ref, options, { api, outboundUrl: config.outboundUrl }),
    fetchContext: () => Promise.resolve({}),
    resolveTarget: (query) => Promise.resolve(resolveTarget(query, host.accountId)),
    health: () => webhook.health(),
    async probe(options) {
      await ping(api, host, options);
      return { account: { id: new URL(config.outboundUrl).host }, missingPermissions: [] };
    },
    async stop(options) {
      await Promise.all([webhook.stop(), sender.stop(options)]);
    },
  };
}

/** `user:…`, `group:…` and `channel:…`, with an id of the service. It cannot be asked for names. */
function resolveTarget(query: string, accountId: string): Origin | undefined {
  const { type, id } = /^(?<type>user|group|channel):(?<id>\S.*)$/s.exec(query.trim())?.groups ?? {};
  if (type === undefined || id === undefined) return undefined;
  const kind = type === "user" ? "direct" : type === "group" ? "group" : "channel";
  return { channel: "webhook", accountId, conversation: { kind, id } };
}
