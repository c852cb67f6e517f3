import { ChannelError } from "@factotum/channel-contract";
import type { Channel, ChannelHost, Origin } from "@factotum/channel-contract";
import { createSampleChatApi } from "./api/sample-chat-api.ts";
import { SAMPLE_CHAT_CAPABILITIES } from "./capabilities.ts";
import type { SampleChatConfig } from "./config.ts";
import { createSender } from "./outbound/sender.ts";
import { createTransport } from "./transport/transport.ts";

/** Creates the channel of one account. Sends no request before `start` or the first send. */
export function createSampleChatChannel(config: SampleChatConfig, host: ChannelHost): Channel {
  const api = createSampleChatApi(config, host);
  const sender = createSender(api, host);
  const transport = createTransport({ api, host, config });

  return {
    capabilities: SAMPLE_CHAT_CAPABILITIES,
    start: (options) => transport.start(options),
    handleWebhook: (request, options) => transport.handleWebhook(request, options),
    send: (target, outbound, options) => sender.send(target, outbound, options),
    act: ({ name }) => Promise.reject(refusal("rejected", `this channel does not do ${name}`)),
    fetchAttachment: () => Promise.reject(refusal("not-found", "messages of this channel carry no attachments")),
    fetchContext: () => Promise.resolve({}),
    resolveTarget: (query) => Promise.resolve(resolveTarget(query, host.accountId)),
    health: () => transport.health(),
    stop: async (options) => {
      await Promise.all([transport.stop(options), sender.stop(options)]);
    },
  };
}

function refusal(code: "rejected" | "not-found", message: string): ChannelError {
  return new ChannelError(code, message, { retry: { type: "never" } });
}

/** Ids only, with their kind as prefix: `dm_…` and `room_…`. */
function resolveTarget(query: string, accountId: string): Origin | undefined {
  const [, id] = /^(?:(?:user|channel):)?((?:dm|room)_\w+)$/.exec(query.trim()) ?? [];
  if (id === undefined) return undefined;
  return { channel: "sample-chat", accountId, conversation: { kind: id.startsWith("dm_") ? "direct" : "group", id } };
}
